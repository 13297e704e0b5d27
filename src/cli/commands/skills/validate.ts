import { isAbsolute, relative } from 'node:path';
import { DetentError } from '../../../protocol/error.ts';
import { builtinToolsets, optionalTools } from '../../../tools/registry/toolsets.ts';
import { type Flags, word } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

/** `detent skills validate DIR`: ends with 0 when every file can be loaded. */
export async function validateSkills(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const folder = word(words, 0, 'DIR');
  const { tools: { define = [] } = {} } = await loadOptions(flags, io);
  const { validateFolder } = await import('../../../skills/validate.ts');
  const known = new Set([
    ...Object.values(builtinToolsets).flat(),
    ...optionalTools,
    ...define.map(({ name }) => name),
  ]);
  const isKnown = (tool: string) => known.has(tool) || tool.startsWith('mcp__');
  const found = await validateFolder(io.path(folder), isKnown);
  if (found === null) throw new DetentError('NOT_FOUND', `there is no folder ${folder}`);
  // Paths relative to the current folder, unless DIR is absolute.
  const files = isAbsolute(folder)
    ? found
    : found.map((file) => ({ ...file, path: relative(io.cwd, file.path) || folder }));
  if (flags.json) io.json(files);
  else
    for (const { path, loads, warnings, errors } of files)
      io.out(
        [
          `${loads ? (warnings.length > 0 ? 'warn' : 'ok  ') : 'bad '}  ${path}`,
          ...errors.map((error) => `        error: ${error}`),
          ...warnings.map((warning) => `        warning: ${warning}`),
          '',
        ].join('\n'),
      );
  if (files.length === 0) io.say(`detent: there is no SKILL.md in ${folder}`);
  return files.length > 0 && files.every(({ loads }) => loads) ? exit.ok : exit.failed;
}

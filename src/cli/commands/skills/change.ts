import { mkdir, writeFile } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { DetentError } from '../../../protocol/error.ts';
import { builtinToolsets, optionalTools } from '../../../tools/registry.ts';
import { type Flags, text, usage, word } from '../../settings/flags.ts';
import { loadOptions, workspaceOf } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { skillsOf } from './show.ts';

const validName = /^[\p{Ll}\p{Lo}\p{N}]+(-[\p{Ll}\p{Lo}\p{N}]+)*$/u;
const defaultAbout =
  'What the skill does, in one sentence. Use when the user asks for it, in the user’s words.';

/** `detent skills new NAME`: creates a folder with a `SKILL.md` to fill in. */
export async function newSkill(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const name = word(words, 0, 'NAME');
  if (!validName.test(name) || Array.from(name).length > 64)
    throw usage(`the name of a skill has lower-case letters, digits and single hyphens, not "${name}"`);
  const about = text(flags, 'description')?.replaceAll(/\s+/g, ' ').trim() || defaultAbout;
  if (Array.from(about).length > 1_024) throw usage('--description has at most 1,024 characters');
  const workspace = workspaceOf(flags, io.cwd);
  const folder = join(io.path(text(flags, 'in') ?? join(workspace, 'skills')), name);
  const path = join(folder, 'SKILL.md');
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(path, template(name, about), { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new DetentError('SKILL_EXISTS', `${path} already exists; change it, or choose another name`);
  }
  if (flags.json) io.json({ name, path });
  else
    io.out(
      io.asTyped(
        `created ${relative(io.cwd, path)}: fill it in, then check it with: detent skills validate ${relative(io.cwd, folder) || '.'}\n`,
      ),
    );
  return exit.ok;
}

function template(name: string, about: string): string {
  return `---
name: ${name}
description: ${JSON.stringify(about)}
---

# ${title(name)}

The result you want.

This time: $ARGUMENTS

## How to go about it

1. The first step, and how to know that it is done.

## Checklist

- What must be true at the end
`;
}

function title(name: string): string {
  const words = name.replaceAll('-', ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/** `detent skills approve SKILL`: trusts it with its present files. */
export async function approveSkill(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const name = word(words, 0, 'SKILL');
  const { library } = await skillsOf(flags, io);
  const hash = await library.approve(name);
  if (flags.json) io.json({ name, hash });
  else
    io.out(
      `approved ${name} as it is (${hash.slice(0, 12)}…); approve it again after any change to its files\n`,
    );
  return exit.ok;
}

/** `detent skills revoke SKILL`. */
export async function revokeSkill(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const name = word(words, 0, 'SKILL');
  const { library } = await skillsOf(flags, io);
  const revoked = await library.revoke(name);
  if (revoked === 0) throw new DetentError('NOT_FOUND', `no skill "${name}" was approved`);
  if (flags.json) io.json({ name, revoked });
  else io.out(`${name} is no longer trusted\n`);
  return exit.ok;
}

/** `detent skills validate DIR`: ends with 0 when every file can be loaded. */
export async function validateSkills(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const folder = word(words, 0, 'DIR');
  const { tools: { define = [] } = {} } = await loadOptions(flags, io);
  const { validateFolder } = await import('../../../skills/skills.ts');
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

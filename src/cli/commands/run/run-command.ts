import { statSync } from 'node:fs';
import { messageOf } from '../../../protocol/error.ts';
import { isObject } from '../../../protocol/json.ts';
import { checkPrompt, maxPromptBytesOf, readFiles } from '../../../runtime/requests.ts';
import { readWholeSync } from '../../../text/files.ts';
import { outputJsonSchema } from '../../../tools/registry.ts';
import { checkRequestFlags, warnOfBadSkills, warnOfUnknownTools } from '../../drive/check-request.ts';
import { continueSession } from '../../drive/continue-session.ts';
import { driveRun } from '../../drive/drive.ts';
import { printIds } from '../../drive/report-end.ts';
import { withPort } from '../../drive/with-detent.ts';
import { type Flags, parsedFlag, text, texts, usage } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { outputOptions, runRequest } from '../../settings/run-options.ts';
import { exitCodeOfRun } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { fileOnStdin, promptOnStdin } from './read-stdin.ts';

/** `detent run [prompt|-]`. */
export async function runCommand(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const output = outputOptions(flags, io);
  const schemaFile = text(flags, 'output-schema');
  const asked = {
    ...runRequest(flags, io),
    ...(schemaFile !== undefined && { output: outputSchemaOf(schemaFile, io) }),
  };
  const [word, ...more] = words;
  const isOnStdin = word === '-' || (word === undefined && io.hasData);
  if (word === undefined && !isOnStdin)
    throw usage('there is no prompt: give one in quotes, or - to read it from stdin');
  if (more.length > 0) throw usage(`too many arguments: ${more.join(' ')}; put several words in quotes`);
  const options = await loadOptions(flags, io);
  const request = await continueSession(asked, flags, options, 'run');
  const { limits, approve, model, hasOutput } = checkRequestFlags(options, request);
  const prompt = isOnStdin ? await promptOnStdin(maxPromptBytesOf(limits), io) : (word ?? '');
  checkPrompt(prompt, limits);
  const file = isOnStdin ? null : await fileOnStdin(output.quiet, io);
  const attachments = [...(await readFiles(texts(flags, 'attach'), io.cwd)), ...(file ? [file] : [])];
  const interactive = io.isAttended() && approve === 'ask';
  // A new conversation has no run of a workflow, so their modules need not be loaded.
  const { machines: _, ...light } = options;
  return withPort(request.sessionId === undefined ? light : options, async (port) => {
    await warnOfUnknownTools(port, request, io);
    await warnOfBadSkills(port, request, io);
    // Runs that an earlier process left in this session come first in its lane.
    if (request.sessionId !== undefined)
      await port.resume({ sessionId: request.sessionId }, { ...request, model });
    // With mode `steer` the run may have earlier transitions, which `since` hides.
    const driving = {
      ...output,
      interactive,
      since: Date.now(),
      isJsonAnswer: hasOutput,
    };
    const view = await driveRun(port, port.run(prompt, { ...request, attachments }), driving, io);
    printIds(view, output, io);
    return exitCodeOfRun(view);
  });
}

/** More than any usable schema has, white space included. */
const maxBytes = 1_048_576;

/**
 * The JSON Schema in the file of `--output-schema`.
 *
 * @throws DetentError `USAGE` when the file cannot be read or is not JSON; `INVALID_OUTPUT_SCHEMA`
 */
export function outputSchemaOf(file: string, io: Pick<Io, 'path'>): Record<string, unknown> {
  const named = `--output-schema ${file}`;
  const schema = parsedFlag(named, readInput(named, io.path(file)));
  if (!isObject(schema)) throw usage(`${named} is not a JSON Schema: a JSON Schema is an object`);
  return outputJsonSchema(schema, named);
}

function readInput(named: string, path: string): string {
  let text: string;
  try {
    const { size } = statSync(path);
    if (size > maxBytes) throw new Error(`it has ${size} bytes, and ${maxBytes} is the maximum`);
    text = readWholeSync(path, { waitsForPipe: true }).toString();
  } catch (error) {
    throw usage(`${named} cannot be read: ${messageOf(error)}`);
  }
  return text.replace(/^\uFEFF/, '');
}

import { messageOf } from '../../protocol/error.ts';
import { isObject, parseJson } from '../../protocol/json.ts';
import { readWholeSync } from '../../text/files.ts';
import { usage } from '../settings/flags.ts';
import type { Io } from '../terminal/io.ts';
import { promptOnStdin } from './run/read-stdin.ts';

/** Larger than what a run can keep. */
const maxBytes = 8 * 2 ** 20;

/**
 * The JSON of a word of the command line: the word itself, that of `@FILE`, or of stdin for `-`.
 *
 * @param what the flag or argument, for errors
 * @throws DetentError `USAGE`.
 */
export async function readJson(given: string, what: string, io: Io): Promise<unknown> {
  const json =
    given === '-'
      ? await promptOnStdin(maxBytes, io, 'JSON')
      : given.startsWith('@')
        ? readNamedFile(given, what, io)
        : given;
  const value = parseJson(json);
  if (value === undefined) throw usage(`${what} takes JSON, in quotes: '{"order":"o1"}'; or @FILE`);
  return value;
}

/** The same for an object. @throws DetentError `USAGE`. */
export async function readJsonObject(given: string, what: string, io: Io): Promise<Record<string, unknown>> {
  const value = await readJson(given, what, io);
  if (isObject(value)) return value as Record<string, unknown>;
  throw usage(`${what} takes an object: '{"amount":12}'`);
}

function readNamedFile(given: string, what: string, io: Io): string {
  try {
    return readWholeSync(io.path(given.slice(1)), { waitsForPipe: true }).toString();
  } catch (error) {
    throw usage(`${what} ${given} cannot be read: ${messageOf(error)}`);
  }
}

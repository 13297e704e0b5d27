import { readWholeSync } from '../../../files/open-to-read.ts';
import { messageOf } from '../../../protocol/error.ts';
import { isObject, parseJson } from '../../../protocol/json.ts';
import { type Flags, text, usage } from '../../settings/flags.ts';
import type { Io } from '../../terminal/io.ts';
import { promptOnStdin } from '../run/read-stdin.ts';

/** Larger than what a run can keep. */
const maxBytes = 8 * 2 ** 20;

/** The JSON that a flag gives, names a file of, or reads from stdin; undefined without the flag. @throws DetentError `USAGE`. */
export async function jsonFlag(flags: Flags, name: string, io: Io): Promise<unknown> {
  const given = text(flags, name);
  if (given === undefined) return undefined;
  const json =
    given === '-'
      ? await promptOnStdin(maxBytes, io, 'JSON')
      : given.startsWith('@')
        ? read(given, name, io)
        : given;
  const value = parseJson(json);
  if (value === undefined) throw usage(`--${name} takes JSON, in quotes: '{"order":"o1"}'; or @FILE`);
  return value;
}

/** The same for an object. @throws DetentError `USAGE`. */
export async function objectFlag(
  flags: Flags,
  name: string,
  io: Io,
): Promise<Record<string, unknown> | undefined> {
  const value = await jsonFlag(flags, name, io);
  if (value === undefined || isObject(value)) return value as Record<string, unknown> | undefined;
  throw usage(`--${name} takes an object: '{"amount":12}'`);
}

function read(given: string, name: string, io: Io): string {
  try {
    return readWholeSync(io.path(given.slice(1)), { waitsForPipe: true }).toString();
  } catch (error) {
    throw usage(`--${name} ${given} cannot be read: ${messageOf(error)}`);
  }
}

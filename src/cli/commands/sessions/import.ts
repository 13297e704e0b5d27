import { openToRead } from '../../../files/open-to-read.ts';
import { DetentError, messageOf } from '../../../protocol/error.ts';
import { withDetent } from '../../drive/with-detent.ts';
import { type Flags, text, word } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { counted } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

/** `detent sessions import FILE`. */
export async function importSession(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const file = word(words, 0, 'FILE');
  const session = text(flags, 'session');
  const options = await loadOptions(flags, io);
  // Read before the database is opened or created.
  const pieces = await read(file, io);
  const named = session === undefined ? {} : { session };
  const imported = await withDetent(options, (detent) => detent.sessions.import(pieces, named));
  const { sessionId, runId, lines, messages, notes } = imported;
  if (flags.json) io.json(imported);
  else io.out(`${sessionId}  ${counted(lines, 'line')}, ${counted(messages, 'message')}  ${runId}\n`);
  for (const note of notes) io.say(`detent: ${note}`);
  return exit.ok;
}

const opened = async (path: string) => (await openToRead(path, { waitsForPipe: true })).createReadStream();

/** @throws DetentError `NOT_FOUND`. */
async function read(file: string, io: Io): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  try {
    const source = file === '-' ? io.stdin : await opened(io.path(file));
    for await (const piece of source) pieces.push(piece as Uint8Array);
  } catch (error) {
    throw new DetentError('NOT_FOUND', `${file} cannot be read: ${messageOf(error)}`);
  }
  return pieces;
}

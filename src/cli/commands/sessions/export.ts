import { replaceFile } from '../../../files/replace-file.ts';
import { DetentError, messageOf } from '../../../protocol/error.ts';
import { printableJson } from '../../../text/printable.ts';
import { reading } from '../../drive/with-detent.ts';
import { type Flags, text } from '../../settings/flags.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { namedSession } from './require-session.ts';

/** `detent sessions export K`. */
export async function exportSession(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const { key, options } = await namedSession(words, flags, io);
  const output = text(flags, 'output');
  await reading(options, async (detent) => {
    const lines = ended(detent.sessions.export(key));
    if (output === undefined) await toStdout(lines, io);
    else await toFile(lines, io.path(output));
  });
  return exit.ok;
}

async function* ended(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${printableJson(line)}\n`;
}

async function toStdout(lines: AsyncIterable<string>, { stdout }: Io): Promise<void> {
  for await (const line of lines) {
    if (stdout.isClosed) return;
    if (!stdout.write(line)) await stdout.drained();
  }
}

/** Writes the file whole or not at all: half a file would look like a truncated log. */
async function toFile(lines: AsyncIterable<string>, file: string): Promise<void> {
  try {
    // Only its owner may read the conversation.
    await replaceFile(file, lines, { mode: 0o600 });
  } catch (error) {
    if (DetentError.is(error)) throw error;
    throw new DetentError('CANNOT_WRITE', `${file} cannot be written: ${messageOf(error)}`);
  }
}

import { DetentError, messageOf } from '../../../protocol/error.ts';
import { openToRead, replaceFile } from '../../../text/files.ts';
import { counted, printableJson } from '../../../text/wording.ts';
import { reading, withDetent } from '../../drive/with-detent.ts';
import { localPort } from '../../port/local-port.ts';
import { type Flags, text, usage, word } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { findAgentRun } from '../runs/follow.ts';
import { printFork } from '../runs/fork.ts';
import { namedSession } from './show.ts';

/** `detent sessions fork K --at RUN:SEQ`. */
export async function forkSession(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const [, named, seq] = /^(.+):(\d{1,15})$/.exec(text(flags, 'at') ?? '') ?? [];
  if (named === undefined) throw usage('--at takes RUN:SEQ, as run_x1:7');
  const sessionId = text(flags, 'session');
  const { key, options } = await namedSession(words, flags, io);
  return withDetent(options, async (detent) => {
    const runId = await findAgentRun(localPort(detent), named).catch((error) => {
      // The fork reports a session or a run that does not exist.
      if (DetentError.is(error) && error.code === 'NOT_FOUND') return named;
      throw error;
    });
    const place = { runId, seq: Number(seq), ...(sessionId !== undefined && { sessionId }) };
    const fork = await detent.sessions.fork(key, place);
    const view = await detent.runs.show(fork.runId);
    const { status } = view;
    if (flags.json) io.json({ ...fork, status, from: { runId, seq: Number(seq) } });
    else printFork(fork, view, io);
    return exit.ok;
  });
}

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

/** `detent sessions import FILE`. */
export async function importSession(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const file = word(words, 0, 'FILE');
  const sessionId = text(flags, 'session');
  const options = await loadOptions(flags, io);
  // Read before the database is opened or created.
  const pieces = await readPieces(file, io);
  const named = sessionId === undefined ? {} : { sessionId };
  const imported = await withDetent(options, (detent) => detent.sessions.import(pieces, named));
  const { runId, lines, messages, notes } = imported;
  if (flags.json) io.json(imported);
  else
    io.out(`${imported.sessionId}  ${counted(lines, 'line')}, ${counted(messages, 'message')}  ${runId}\n`);
  for (const note of notes) io.say(`detent: ${note}`);
  return exit.ok;
}

const opened = async (path: string) => (await openToRead(path, { waitsForPipe: true })).createReadStream();

/** @throws DetentError `NOT_FOUND`. */
async function readPieces(file: string, io: Io): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  try {
    const source = file === '-' ? io.stdin : await opened(io.path(file));
    for await (const piece of source) pieces.push(piece as Uint8Array);
  } catch (error) {
    throw new DetentError('NOT_FOUND', `${file} cannot be read: ${messageOf(error)}`);
  }
  return pieces;
}

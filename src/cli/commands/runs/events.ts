import type { LoggedEvent } from '../../../index.ts';
import { sayingOf } from '../../../runs/decisions/decisions.ts';
import { isoTime } from '../../../text/iso-time.ts';
import { reading } from '../../drive/with-detent.ts';
import { type Flags, usage, word } from '../../settings/flags.ts';
import { loadOptions, requireDatabase } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

/** `detent runs events RUN`. */
export async function listEvents(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const named = word(words, 0, 'RUN');
  if (flags.json && flags.jsonl) throw usage('choose one of --json and --jsonl');
  const options = await loadOptions(flags, io);
  requireDatabase(options, named);
  const events = await reading(options, async ({ runs }) => runs.events(await runs.find(named)));
  if (flags.json) io.json(events.map(flat));
  else if (flags.jsonl) for (const event of events) io.json(flat(event));
  else if (events.length === 0) io.say('this run has no transitions yet');
  else for (const line of table(events)) io.out(`${line}\n`);
  return exit.ok;
}

/** The event's own fields beside those of its transition, as `run --jsonl` prints them. */
function flat({ runId, seq, at, path, event, messages, hash }: LoggedEvent) {
  return { runId, seq, at, path, ...event, messages, hash };
}

function table(events: readonly LoggedEvent[]): string[] {
  const width = (cells: string[], minWidth: number) =>
    Math.max(minWidth, ...cells.map((cell) => cell.length));
  const types = width(
    events.map(({ event }) => event.type),
    5,
  );
  const paths = width(
    events.map(({ path }) => short(path)),
    5,
  );
  const row = (
    cells: [seq: string, time: string, type: string, path: string, hash: string, says: string],
  ) => {
    const [seq, time, type, path, hash, says] = cells;
    return `${seq.padStart(4)}  ${time.padEnd(12)}  ${type.padEnd(types)}  ${path.padEnd(paths)}  ${hash.padEnd(11)}  ${says}`.trimEnd();
  };
  return [
    row(['seq', 'time', 'event', 'state', 'hash', 'what was said']),
    ...events.map(({ seq, at, event, path, hash, messages }) =>
      row([String(seq), isoTime(at).slice(11, 23), event.type, short(path), hash, said(event, messages)]),
    ),
  ];
}

/** The state path without the prefix that all working states share. */
function short(path: string): string {
  return path.replace(/^active\.(working\.)?/, '');
}

const maxShown = 100;

function said(event: LoggedEvent['event'], messages: LoggedEvent['messages']): string {
  const error = event.error as { code: string; message: string } | undefined;
  const words = [
    ...(error ? [`${error.code}: ${error.message}`] : []),
    ...(typeof event.callId === 'number' ? [sayingOf(event.callId, event)] : []),
    ...(typeof event.reason === 'string' ? [event.reason] : []),
    ...messages.map(content),
  ];
  const line = words.join(' | ').replaceAll(/\s+/g, ' ').trim();
  return line.length > maxShown ? `${line.slice(0, maxShown)}…` : line;
}

interface Call {
  callId: number;
  name: string;
  arguments: string;
}

function content({ role, text, refusal, toolCalls, callId, code }: LoggedEvent['messages'][number]): string {
  if (role === 'tool') return `c${String(callId)}: ${code ? `${String(code)}: ` : ''}${String(text)}`;
  const calls = ((toolCalls ?? []) as Call[]).map(
    (call) => `c${call.callId} ${call.name}(${call.arguments})`,
  );
  return `${role}: ${[text, refusal, ...calls].filter(Boolean).join(' ')}`;
}

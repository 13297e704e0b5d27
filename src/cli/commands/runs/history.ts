import type { LoggedEvent, RunReplay, Why } from '../../../index.ts';
import { sayingOf } from '../../../runs/runs.ts';
import { flowWords } from '../../../runs/views.ts';
import { isoTime, oneLine } from '../../../text/wording.ts';
import { reading, readingPort, tenantOf } from '../../drive/with-detent.ts';
import { readLog } from '../../port/port.ts';
import { type Flags, usage, word } from '../../settings/flags.ts';
import { hasDatabase, loadOptions, requireDatabase } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { onRun } from './follow.ts';

/** `detent runs events RUN`. */
export async function listEvents(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const named = word(words, 0, 'RUN');
  if (flags.json && flags.jsonl) throw usage('choose one of --json and --jsonl');
  const options = await loadOptions(flags, io);
  requireDatabase(options, named);
  const events = await readingPort(options, async ({ ask }) => {
    const { runId } = await ask('run.find', { word: named });
    return Array.fromAsync(readLog(ask, runId));
  });
  if (flags.json) io.json(events.map(flat));
  else if (flags.jsonl) for (const event of events) io.json(flat(event));
  else if (events.length === 0) io.say('this run has no transitions yet');
  else for (const line of table(events)) io.out(`${line}\n`);
  return exit.ok;
}

/** The event's own fields beside those of its transition, as `run --jsonl` prints them. */
function flat({ runId, seq, at, path, event, messages, hash, label, by }: LoggedEvent) {
  const sender = by === undefined ? {} : { by };
  return { runId, seq, at, path, ...sender, ...event, messages, hash, ...(label !== undefined && { label }) };
}

function table(events: readonly LoggedEvent[]): string[] {
  const width = (cells: string[], minWidth: number) =>
    Math.max(minWidth, ...cells.map((cell) => cell.length));
  const types = width(events.map(labelOf), 5);
  const paths = width(events.map(short), 5);
  const row = (
    cells: [seq: string, time: string, type: string, path: string, hash: string, says: string],
  ) => {
    const [seq, time, type, path, hash, says] = cells;
    return `${seq.padStart(4)}  ${time.padEnd(12)}  ${type.padEnd(types)}  ${path.padEnd(paths)}  ${hash.padEnd(11)}  ${says}`.trimEnd();
  };
  return [
    row(['seq', 'time', 'event', 'state', 'hash', 'what was said']),
    ...events.map((one) =>
      row([String(one.seq), isoTime(one.at).slice(11, 23), labelOf(one), short(one), one.hash, said(one)]),
    ),
  ];
}

function labelOf({ event, label }: LoggedEvent): string {
  return label ?? event.type;
}

/** The state path without the prefix that all working states of agents' runs share. */
function short({ path, label }: LoggedEvent): string {
  return label === undefined ? path.replace(/^active\.(working\.)?/, '') : path;
}

const maxShown = 100;

function said({ event, messages, label }: LoggedEvent): string {
  if (label !== undefined) return oneLine(flowWords(event), maxShown);
  const error = event.error as { code: string; message: string } | undefined;
  const words = [
    ...(error ? [`${error.code}: ${error.message}`] : []),
    ...(typeof event.callId === 'number' ? [sayingOf(event.callId, event)] : []),
    ...(typeof event.reason === 'string' ? [event.reason] : []),
    ...messages.map(content),
  ];
  return oneLine(words.join(' | '), maxShown);
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

/** `detent runs why RUN`. */
export async function whyRun(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const named = word(words, 0, 'RUN');
  const options = await loadOptions(flags, io);
  const why = await onRun(readingPort, options, named, ({ ask }, runId) => ask('run.why', { runId }));
  if (flags.json) io.json(why);
  else io.out(io.asTyped(`${describeWhy(why)}\n`));
  return exit.ok;
}

/** Links shown to people; `--json` has the whole chain. */
const maxLinks = 5;

/** The state of a run, with how it ended where that says more. */
export function stateWords({ status, outcome }: { status: string; outcome: string | null }): string {
  return outcome && outcome !== status ? `${status} (${outcome})` : status;
}

/** The explanation as text for people. */
export function describeWhy({
  runId,
  status,
  outcome,
  summary,
  details,
  chain,
  next,
  unfolded,
}: Why): string {
  const state = stateWords({ status, outcome });
  const shown = chain.slice(-maxLinks);
  return [
    `${runId} is ${state}: ${ended(summary)}`,
    ...(details.length > 0 ? ['', ...details.map((line) => `  ${line}`)] : []),
    ...(shown.length > 0
      ? [
          '',
          'How the run got here:',
          ...shown.flatMap((link, i) => [...between(shown[i - 1], link), ...describeLink(link)]),
        ]
      : []),
    ...(unfolded === null ? [] : [`  (no guards: ${unfolded})`]),
    ...(next.length > 0 ? ['', 'What to do next:', ...next.map(describeAdvice)] : []),
  ].join('\n');
}

/** The transitions before a link that did not lead to it. */
function between(before: Why['chain'][number] | undefined, { seq }: Why['chain'][number]): string[] {
  const first = (before?.seq ?? 0) + 1;
  if (first >= seq) return [];
  return [first === seq - 1 ? `  … seq ${first}` : `  … seq ${first} to ${seq - 1}`];
}

export function describeAdvice({ text, command, otherFlags }: Why['next'][number]): string {
  const or = otherFlags === null ? '' : ` (or with ${otherFlags})`;
  return command === null ? `  ${text}` : `  ${text}${or}:\n    ${command}`;
}

function ended(sentence: string): string {
  return /[.!?"…]$/.test(sentence) ? sentence : `${sentence}.`;
}

function describeLink({ seq, event, from, to, guards, effect, by, says }: Why['chain'][number]): string[] {
  // The event names the service already.
  const isSaid = effect?.service !== undefined && effect.attempts < 2;
  const doing =
    effect && !isSaid
      ? ` (answer of ${effect.callId ? `${effect.callId} ${effect.tool}` : (effect.service ?? effect.name)}, ${effect.attempts === 1 ? '1 attempt' : `${effect.attempts} attempts`})`
      : '';
  const asked = guards.map(({ guard, passed }) => `${guard} ${passed ? 'yes' : 'no'}`).join(', ');
  return [
    `  seq ${seq}  ${event}${doing}${by === undefined ? '' : ` from ${by}`}${says === '' ? '' : `: ${says}`}`,
    ...(asked === '' ? [] : [`      asked: ${asked}`]),
    `      ${from} → ${to}`,
  ];
}

/** `detent runs replay RUN | --all`. */
export async function replayRuns(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  if (flags.all ? words.length > 0 : words.length === 0)
    throw usage('"detent runs replay" takes a RUN or --all');
  const options = await loadOptions(flags, io);
  if (flags.all) {
    const replays = hasDatabase(options)
      ? await reading(options, async (detent) =>
          detent.runs.replayAll((await tenantOf(detent, options)).tenantId),
        )
      : [];
    return printReplays(replays, flags.json ? replays : null, io);
  }
  const named = word(words, 0, 'RUN');
  requireDatabase(options, named);
  const replay = await reading(options, async (detent) => {
    const { tenantId } = await tenantOf(detent, options);
    return detent.runs.replay(await detent.runs.find(named, tenantId), tenantId);
  });
  return printReplays([replay], flags.json ? replay : null, io);
}

function printReplays(
  replays: readonly RunReplay[],
  json: RunReplay | readonly RunReplay[] | null,
  io: Io,
): number {
  if (json !== null) io.json(json);
  else if (replays.length === 0) io.say('there are no runs here yet');
  else for (const replay of replays) io.out(`${describeReplay(replay)}\n`);
  return replays.some(({ diverged }) => diverged !== null) ? exit.failed : exit.ok;
}

function describeReplay({ runId, folded, unfolded, diverged, error }: RunReplay): string {
  if (error) return `${runId}  cannot be folded: ${error.message}`;
  const skipped = unfolded > 0 ? `, ${unfolded} before a migration skipped` : '';
  if (!diverged) return `${runId}  ${folded} transitions agree${skipped}`;
  const { seq, what, stored, folded: found } = diverged;
  const field = 'field' in diverged && diverged.field !== undefined ? ` ${diverged.field}` : '';
  return [
    `${runId}  differs at seq ${seq}: ${what}${field}${skipped}`,
    `  stored  ${stored}`,
    `  folded  ${found}`,
  ].join('\n');
}

import type { OneCallInput } from '../../../machines/call.setup.ts';
import { taintOf } from '../../call/policy.ts';
import type { Toolbox } from '../../protocol/ports.ts';
import type { Answer } from '../../protocol/views.ts';
import type { RunRow } from '../../store/rows.ts';
import type { RunOptions } from '../../store/run-options.ts';
import { type Decision, isCallDecision } from '../../store/stored-call.ts';
import type { StoredTaint, ToolBody } from '../../store/stored-message.ts';
import { optionsOf, outputOf } from '../../store/stored-run.ts';
import type { Store } from '../rows/statements.ts';
import { type RunStory, readStory } from '../story/read-story.ts';

/** The result of a run that makes one given call. */
export type CallResult = (GivenOutput | CallFailure) & {
  /** The call itself, if its text comes from outside and may be written to mislead models; else none. */
  untrusted: StoredTaint[];
};

interface GivenOutput {
  ok: true;
  /** The whole output; empty when a person confirmed that the call took effect, and its output is unknown. */
  text: string;
  /** What a person answered to the question of a chart. */
  answer?: Answer;
  /** What a person decided on what a chart has approved, and why. */
  approved?: boolean;
  reason?: string;
}

interface CallFailure {
  ok: false;
  /** The tool's own code, or `REJECTED_BY_USER`, `EXPIRED`, `SKIPPED`, `OUTCOME_UNKNOWN`, `CANCELLED`, `POISONED` … */
  code: string;
  message: string;
  /** The call was made and failed, and its side-effect class says that a second call does no harm. */
  retryable: boolean;
}

/** Maximum bytes of an output that a chart gets: the output becomes part of its context. */
const maxOutputBytes = 1_000_000;

/**
 * The result of a run that made one given call and has ended.
 *
 * @param toolbox that of the run's tenant: it knows whose results are untrusted
 */
export async function callResultOf(
  { store, toolbox }: { store: Store; toolbox: Pick<Toolbox, 'isUntrusted'> },
  row: RunRow,
): Promise<CallResult> {
  const options = optionsOf(row);
  const output = outputOf(row);
  if (!options.call || !output) throw new Error(`run ${row.id} has not ended, or was given no call`);
  if (output.outcome === 'cancelled')
    return { ...callFailed('CANCELLED', `run ${row.id} of the call was cancelled`), untrusted: [] };
  if (output.error) return { ...callFailed(output.error.code, output.error.message), untrusted: [] };
  const { messages, calls, events } = await readStory(store, row);
  const { result = null, questions = [] } = [...calls.values()].at(-1) ?? {};
  if (!result) throw new Error(`run ${row.id} has no result of its call`);
  const decision = questions.at(-1)?.decision ?? null;
  const made = howMade(row, events, result.callId);
  const isOfPerson = options.ask !== undefined;
  return {
    ...(result.isError
      ? errorOf(result, options, decision, made)
      : await outputIn(store, row, result, options, decision, made)),
    untrusted: isOfPerson ? [] : taintOf({ messages, summary: null }, toolbox),
  };
}

async function outputIn(
  store: Store,
  { tenant }: RunRow,
  { text: shown, artifact }: ToolBody,
  { ask }: RunOptions,
  decision: Decision | null,
  made: Made,
): Promise<GivenOutput | CallFailure> {
  const { answer, reason }: Partial<Decision> = decision ?? {};
  if (ask && 'approval' in ask)
    return { ok: true, text: shown, approved: true, ...(reason !== undefined && { reason }) };
  if (ask) return { ok: true, text: shown, ...(answer !== undefined && { answer }) };
  // A person confirmed that the interrupted call took effect, without its output.
  if (made.reconciled?.verdict === 'ran' && made.reconciled.result === undefined)
    return { ok: true, text: '' };
  const whole = artifact === undefined ? null : await store.query('findArtifact', { tenant, id: artifact });
  if (artifact !== undefined && !whole)
    return callFailed(
      'OUTPUT_LOST',
      `the output of the call was kept as artifact ${artifact}, which is gone`,
    );
  const text = whole?.body ?? shown;
  const bytes = new TextEncoder().encode(text).length;
  if (bytes <= maxOutputBytes) return { ok: true, text };
  return callFailed(
    'OUTPUT_TOO_LARGE',
    `the call was made, and its output of ${bytes} bytes is more than the ${maxOutputBytes} that a workflow takes: have the tool write a file and return its path`,
  );
}

/** A rejected approval is an answer; a question that a person would not answer has none. */
function errorOf(
  { code, text }: ToolBody,
  { ask }: RunOptions,
  decision: Decision | null,
  { side, hasFailed }: Made,
): GivenOutput | CallFailure {
  const { reason }: Partial<Decision> = decision ?? {};
  if (ask && 'approval' in ask && code === 'REJECTED_BY_USER')
    return { ok: true, text: 'rejected', approved: false, ...(reason !== undefined && { reason }) };
  const isHarmless = side === 'readonly' || side === 'idempotent';
  return { ...callFailed(code ?? 'TOOL_FAILED', text), retryable: hasFailed && isHarmless && !isFinal(code) };
}

/** Whether a second call would fail in the same way. */
function isFinal(code: string | null): boolean {
  return code === 'INVALID_ARGUMENTS' || code === 'UNKNOWN_TOOL' || code === 'HOOK_VETO';
}

type Made = ReturnType<typeof howMade>;

/** What the log says of how the call was made. */
function howMade({ input }: RunRow, events: RunStory['events'], callId: number) {
  const { call: planned } = JSON.parse(input) as Partial<OneCallInput>;
  // A person's change of its arguments may have changed its class.
  const sides = events.map((event) =>
    isCallDecision(event) ? event.class : event.calls?.find((call) => call.callId === callId)?.class,
  );
  return {
    side: sides.findLast((side) => side !== undefined) ?? planned?.class,
    hasFailed: events.some(({ type }) => type === 'tool.failed'),
    /** What a person said became of the call, if its process died. */
    reconciled: events.filter(isCallDecision).findLast(({ type }) => type === 'tool.reconcile'),
  };
}

function callFailed(code: string, message: string): CallFailure {
  return { ok: false, code, message, retryable: false };
}

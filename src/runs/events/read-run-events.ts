import type { TakeoverInput } from '../../../machines/takeover.machine.ts';
import type { RunSignal } from '../../engine/bus.ts';
import type { LoggedTransition } from '../../engine/machine.ts';
import { isModelDelta } from '../../protocol/content.ts';
import type { RunDelta, RunEvent } from '../../protocol/run-events.ts';
import type { RunRow } from '../../store/rows.ts';
import {
  isTakeover,
  isWorkflowRun,
  optionsOf,
  workflowId,
  workflowOptionsOf,
} from '../../store/stored-run.ts';
import { once } from '../../text/limiter.ts';
import { readName } from '../flows/flow-names.ts';
import { readEvents } from '../history/events.ts';
import { findRow } from '../rows/find-run.ts';
import type { Store } from '../rows/statements.ts';
import { parentOf } from '../rows/sub-run-rows.ts';
import { readQuestions } from '../story/read-story.ts';
import { FlowProjector } from './flow-projector.ts';
import { Projector } from './projector.ts';
import { endOfRun } from './run-facts.ts';

/**
 * The events of a run so far, after the transition `afterSeq`, as its log is read.
 *
 * @throws DetentError `NOT_FOUND`.
 */
export async function* readRunEvents(
  store: Store,
  tenant: number,
  runId: string,
  afterSeq: number,
): AsyncGenerator<RunEvent> {
  const row = await findRow(store, tenant, runId);
  const questions = once(() => readQuestions(store, row));
  // Events of a workflow depend on no earlier event, only on the state.
  const from = isWorkflowRun(row) ? await pathAt(store, row, afterSeq) : undefined;
  const projector = projectorOf(row, from);
  for await (const transition of readEvents(store, row, from === undefined ? {} : { after: afterSeq })) {
    const { label } = transition;
    const asked = projector.mayAsk(transition) ? await questions() : [];
    const events = projector.next(transition, { questions: asked, end: endAt(row, transition), label });
    if (transition.seq > afterSeq) for (const event of events) yield event;
  }
}

/**
 * The events of a run after the transition `afterSeq`, from the log and then as they happen, with the pieces of answers as
 * they stream. Ends with the run.
 *
 * @param signals all signals of the run, from its first transition on
 * @throws DetentError `NOT_FOUND`.
 */
export async function* followRunEvents(
  store: Store,
  tenant: number,
  runId: string,
  afterSeq: number,
  signals: AsyncIterable<RunSignal>,
): AsyncGenerator<RunEvent | RunDelta> {
  const row = await findRow(store, tenant, runId);
  const projector = projectorOf(row);
  for await (const signal of signals)
    if (isTransition(signal)) {
      const beside = await readBeside(store, row, projector, signal);
      for (const event of projector.next(signal, beside)) if (event.seq > afterSeq) yield event;
    } else yield* deltaOf(signal);
}

/** The state after a transition. */
async function pathAt(store: Store, { pk }: RunRow, seq: number): Promise<string | undefined> {
  const [found] = await store.query('listPaths', { places: JSON.stringify([[pk, seq]]) });
  return found?.path;
}

type Projecting = Pick<Projector, 'next' | 'mayAsk'>;

/** @param from of a workflow, the state that the first transition leaves. Default: before its first one. */
function projectorOf(row: RunRow, from?: string): Projecting {
  const run = { runId: row.id, sessionId: row.sessionKey };
  if (!isWorkflowRun(row))
    return new Projector({
      ...run,
      options: optionsOf(row),
      ...(isTakeover(row) && { takeover: JSON.parse(row.input) as Pick<TakeoverInput, 'by'> }),
    });
  const parent = parentOf(workflowOptionsOf(row));
  return new FlowProjector({ ...run, workflow: workflowId(row), parent }, from);
}

function isTransition(signal: RunSignal): signal is LoggedTransition {
  return signal.type === 'transition';
}

/** A transition that asks no person and ends nothing needs no other row. */
async function readBeside(store: Store, row: RunRow, projector: Projecting, transition: LoggedTransition) {
  const questions = projector.mayAsk(transition) ? await readQuestions(store, row) : [];
  const label = isWorkflowRun(row) ? await readName(store, row, transition.event) : undefined;
  if (!transition.ended) return { questions, end: null, label };
  return { questions, end: endOfRun(await findRow(store, row.tenant, row.id), transition.path), label };
}

function endAt(row: RunRow, { ended, path }: LoggedTransition) {
  return ended ? endOfRun(row, path) : null;
}

function deltaOf(signal: RunSignal): RunDelta[] {
  if (signal.type === 'claimed') {
    const payload = { callId: String(signal.callId), heldUntil: numberOrNull(signal.heldUntil) };
    return [{ event: 'tool.client_claimed', runId: signal.runId, payload }];
  }
  const { runId, type, effectId, attempt, offset, delta } = signal;
  const of = { effectId: Number(effectId), attempt: Number(attempt) };
  if (type === 'delta.reset') return [{ event: 'assistant.reset', runId, payload: of }];
  if (type !== 'delta' || !isModelDelta(delta) || delta.type === 'toolCall') return [];
  const payload = { ...of, offset: Number(offset), content: delta.text };
  if (delta.type === 'reasoning') return [{ event: 'assistant.reasoning', runId, payload }];
  return [{ event: 'assistant.delta', runId, payload: { ...payload, contentType: delta.type } }];
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

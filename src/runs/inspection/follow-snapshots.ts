import type { AnyMachineSnapshot } from 'xstate';
import type { EventBus } from '../../engine/bus.ts';
import { Diverged, Fold, foldableFrom, readLog } from '../../engine/log.ts';
import { type MachineHost, type MachineHosts, restore, unsigned } from '../../engine/machine.ts';
import type { ActorEvent, ActorSnapshot } from '../../protocol/frames.ts';
import type { RunRow } from '../../store/rows.ts';
import {
  type FlowContext,
  type FlowOutput,
  flowContextOf,
  isImported,
  isWorkflowRun,
} from '../../store/stored-run.ts';
import { eventName, type NameOf, readNames } from '../flows/flow-names.ts';
import { divergedAt } from '../history/load-at.ts';
import { kindOf } from '../kinds/kind-of.ts';
import { findRow } from '../rows/find-run.ts';
import { noLog } from '../rows/imported.ts';
import type { Store } from '../rows/statements.ts';

export interface InspectionParts {
  store: Store;
  hosts: MachineHosts;
  bus: EventBus;
  redact(text: string): string;
}

/** Where an inspection of a run begins: with its first transition, or with the next one. */
export type InspectionStart = 'start' | 'now';

/** The state of a run, and after the first one the event that led to it. */
export interface Inspected {
  row: RunRow;
  /** The machine, in the version that the run has then. */
  host: MachineHost;
  seq: number;
  /** Milliseconds since the epoch. */
  at: number;
  /** Null for the first state. */
  event: ActorEvent | null;
  snapshot: ActorSnapshot;
  /** The runs that it may have begun and waits for. */
  children: readonly string[];
}

/**
 * The state of a run, and then the state after each transition, from the log and as they happen. States are computed from the
 * log; effects are not performed. Ends with the run, and when `left` aborts.
 *
 * @param onQuiet told whether the log is read up to now, before and after each wait for more
 * @throws DetentError `NOT_FOUND`, `NO_LOG`, `MIGRATION_NEEDED`, `REPLAY_DIVERGED`.
 */
export async function* followSnapshots(
  { store, hosts, bus, redact }: InspectionParts,
  tenant: number,
  runId: string,
  from: InspectionStart,
  left: AbortSignal,
  onQuiet: (isQuiet: boolean) => void = () => {},
): AsyncGenerator<Inspected> {
  // Listens first, so that no transition is lost in between.
  const woken = new Wakeable();
  const attendance = bus.attend(tenant, runId);
  const stops = [bus.listen(runId, () => woken.wake()), attendance.leave];
  left.addEventListener('abort', woken.wake, { once: true });
  try {
    await attendance.begun;
    let row = await findRow(store, tenant, runId);
    if (isImported(row)) throw noLog(runId);
    let { fold, seq, first } = await begun({ store, hosts, redact }, row, from);
    yield first;
    while (!left.aborted) {
      const nameOf = row.seq > seq ? await readNames(store, row) : null;
      for await (const event of readLog(store, row.pk, { after: seq, upTo: row.seq })) {
        const before = nameOf ? fold.snapshot.context : null;
        const { host, snapshot, context } = fold.next(event);
        seq = event.seq;
        const said = unsigned({ type: event.type, ...JSON.parse(event.body) }) as ActorEvent;
        const named = nameOf ? chartEvent(said, nameOf, before, snapshot.context) : said;
        yield {
          ...{ row, host, seq, at: event.at, event: named },
          ...seen(row, snapshot, context, redact),
        };
        if (left.aborted) return;
      }
      row = await findRow(store, tenant, runId);
      if (row.seq > seq) continue;
      if (row.ended) return;
      onQuiet(true);
      await woken.sleep();
      onQuiet(false);
    }
  } catch (error) {
    throw error instanceof Diverged ? divergedAt(runId, error) : error;
  } finally {
    left.removeEventListener('abort', woken.wake);
    for (const stop of stops) stop();
  }
}

async function begun(
  { store, hosts, redact }: Omit<InspectionParts, 'bus'>,
  row: RunRow,
  from: InspectionStart,
): Promise<{ fold: Fold; seq: number; first: Inspected }> {
  if (from === 'now') {
    const host = hosts.of(row);
    const { snapshot, children } = seen(row, restore(host, row), row.context, redact);
    const now = row.ended ? { ...snapshot, ...endOf(row, JSON.parse(row.output ?? 'null')) } : snapshot;
    const first = { row, host, seq: row.seq, at: row.updatedAt, event: null, snapshot: now, children };
    return { fold: Fold.after(hosts, row, redact), seq: row.seq, first };
  }
  const starts = foldableFrom(hosts, row, await store.query('listFoldStarts', { run: row.pk }));
  const fold = Fold.of(hosts, row, starts, redact);
  const { host, snapshot } = fold;
  const seq = (starts[0]?.seq ?? 1) - 1;
  const at = Math.min(row.createdAt, starts[0]?.at ?? row.createdAt);
  const context = redact(JSON.stringify(snapshot.context));
  return {
    fold,
    seq,
    first: { row, host, seq, at, event: null, ...seen(row, snapshot, context, redact) },
  };
}

/** How a run has ended, as XState has it of an actor: of a workflow, with the output or the error of its chart. */
function endOf(row: RunRow, output: unknown): Pick<ActorSnapshot, 'status'> & Partial<ActorSnapshot> {
  if (!isWorkflowRun(row)) return { status: 'done', output };
  const { outcome, output: own, error } = (output ?? {}) as Partial<FlowOutput>;
  if (outcome === 'failed') return { status: 'error', error };
  return { status: outcome === 'cancelled' ? 'stopped' : 'done', ...(own !== undefined && { output: own }) };
}

/**
 * The event that the chart of a workflow got, as XState sends it and the definition of the chart names it. An event that only
 * Detent's part of the run took, such as the begin of a retry, has its name for people.
 */
function chartEvent(event: ActorEvent, nameOf: NameOf, before: unknown, after: unknown): ActorEvent {
  const { type, effectId, callId, verdict } = event;
  if (type === 'run.start') return { ...event, type: 'xstate.init' };
  if (type.startsWith('xstate.after.')) return event;
  const [, kind, id = ''] = /^flow\.(raise|unknown)\.(.*)$/.exec(type) ?? [];
  if (kind === 'raise') return { ...event, ...(before as FlowContext).delayed[id] };
  const n = Number(kind === 'unknown' ? id : (effectId ?? callId));
  const isOpen = (after as FlowContext).open.some((one) => one.n === n);
  const how = type === 'service.done' || verdict === 'ran' ? 'done' : 'error';
  const hasEnded = type.startsWith('service.') || type === 'effect.poisoned' || type === 'tool.reconcile';
  if (isOpen || (!hasEnded && kind !== 'unknown') || verdict === 'retry')
    return { ...event, type: eventName(event, nameOf) };
  return { ...event, type: `xstate.${how}.actor.${nameOf(n)}`, actorId: nameOf(n) };
}

/** @param context as it is stored. Of a workflow, the chart's own is shown. */
function seen(
  row: RunRow,
  snapshot: AnyMachineSnapshot,
  context: string,
  redact: (text: string) => string,
): Pick<Inspected, 'snapshot' | 'children'> {
  const ended = snapshot.status === 'active' ? 0 : 1;
  const children = kindOf(row).childIds({ id: row.id, ended, context });
  const own = isWorkflowRun(row) ? flowContextOf({ context }).user : JSON.parse(context);
  const { status, value, tags, output } = snapshot;
  const actor: ActorSnapshot = {
    status,
    value,
    historyValue: {},
    context: own,
    children: {},
    tags: [...tags],
    ...(output !== undefined && endOf(row, JSON.parse(redact(JSON.stringify(output))))),
  };
  return { snapshot: actor, children };
}

/** Waits until it is woken; a call before the wait counts. */
class Wakeable {
  #wake = () => {};
  #isWoken = false;

  readonly wake = (): void => {
    this.#isWoken = true;
    this.#wake();
  };

  async sleep(): Promise<void> {
    if (!this.#isWoken)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.#isWoken = false;
  }
}

import type { InspectionMessage } from '../../protocol/frames.ts';
import type { RunDelta, RunEvent } from '../../protocol/run-events.ts';
import type { InspectionStart } from '../../runs/views.ts';
import type { Core } from '../config/core.ts';
import type { RunHandles } from './run-handle.ts';

/** The messages of one run for inspectors: see `DetentRuns.inspect`. */
export function inspectionOf(
  core: () => Promise<Core>,
  { stoppable }: Pick<RunHandles, 'stoppable'>,
  request: { tenant: number; runId: string; from: InspectionStart; withSubRuns: boolean },
): AsyncIterable<InspectionMessage> {
  async function* read(left: AbortSignal) {
    const { store, hosts, bus, redact } = await core();
    const { inspectRun } = await import('../../runs/views.ts');
    const closed = new AbortController();
    const { leave } = stoppable({ stop: () => closed.abort() });
    try {
      const signal = AbortSignal.any([left, closed.signal]);
      yield* inspectRun({ store, hosts, bus, redact }, request, signal);
    } finally {
      leave();
    }
  }
  return { [Symbol.asyncIterator]: () => leavable(read) };
}

/** The events of a run for clients: those after the transition `afterSeq`, then live ones. */
export function subscribeTo(
  core: () => Promise<Pick<Core, 'store' | 'follow'>>,
  { stoppable }: Pick<RunHandles, 'stoppable'>,
  { tenant, runId, afterSeq }: { tenant: number; runId: string; afterSeq: number },
): AsyncIterable<RunEvent | RunDelta> {
  async function* read(left: AbortSignal) {
    const { store, follow } = await core();
    const { followRunEvents } = await import('../../runs/views.ts');
    if (left.aborted) return;
    const { followed, leave } = stoppable(follow(tenant, runId));
    left.addEventListener('abort', leave, { once: true });
    try {
      yield* followRunEvents(store, tenant, runId, afterSeq, followed);
    } finally {
      leave();
    }
  }
  return { [Symbol.asyncIterator]: () => leavable(read) };
}

/**
 * An iterator whose reader can leave while it waits for the next value: the `return` of a generator would wait for that value
 * first, which a parked run may not have for days.
 */
function leavable<T>(read: (left: AbortSignal) => AsyncGenerator<T>): AsyncIterator<T> {
  const leaving = new AbortController();
  const values = read(leaving.signal);
  return {
    next: () => values.next(),
    return: (value) => {
      leaving.abort();
      return values.return(value);
    },
  };
}

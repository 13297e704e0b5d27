import type { RunRow } from '../../store/rows.ts';
import type { EventBus, RunSignal } from '../bus.ts';
import type { Store } from '../commit/statements.ts';
import { messagesAt, readMessages } from '../log/read-log.ts';
import { loggedMessage, type ReadBody, readTransitions, transitionOf } from '../machine/logged-transition.ts';

/** Unread signals that are kept for a slow reader. Beyond that, signals without consequences are dropped. */
const maxWaiting = 10_000;

/** Signals that may be dropped. All others change what a reader must show or do next. */
const droppable: ReadonlySet<string> = new Set(['delta', 'progress', 'log']);

/** A reader must read it to its end or call `stop`. After `stop` it ends behind the signals it has already. */
export interface Followed extends AsyncGenerator<RunSignal> {
  stop(): void;
}

interface FollowParts {
  bus: EventBus;
  store: Store;
  readBody: ReadBody;
}

/**
 * The signals of one run: first its transitions after `afterSeq` from the log, then the answer that streams now as far as it
 * has come, then live ones. Each transition has the
 * `messages` that were written with it. Ends with the run.
 *
 * It listens from the moment of the call. A reader that falls far behind loses deltas of streaming answers, never
 * transitions.
 */
export function follow(
  { bus, store, readBody }: FollowParts,
  tenant: number,
  runId: string,
  afterSeq = 0,
): Followed {
  // The part of a streaming answer that has arrived belongs after the log and before the next deltas.
  const waiting = bus.soFar(runId);
  /** The first live transition; those before it come from the log. */
  let heard = Number.POSITIVE_INFINITY;
  let wake = () => {};
  let stopped = false;
  const leave = bus.listen(runId, (signal) => {
    if (droppable.has(signal.type) && waiting.length >= maxWaiting) return;
    waiting.push(signal);
    heard = Math.min(heard, signal.seq ?? heard);
    wake();
  });
  const attendance = bus.attend(tenant, runId);
  const stop = () => {
    leave();
    attendance.leave();
    stopped = true;
    wake();
  };
  return Object.assign(signals(), { stop });

  async function* signals(): AsyncGenerator<RunSignal> {
    try {
      await attendance.begun;
      let seq = afterSeq;
      let run = await store.query('loadRun', { tenant, id: runId });
      while (run && seq + 1 < heard) {
        if (run.ended && seq >= run.seq) return;
        const { seq: upTo, ended } = run;
        if (upTo <= seq) break;
        const range = { after: seq, upTo };
        for await (const { event, messages } of readTransitions(store, run, range)) {
          if (event.seq >= heard) break;
          seq = event.seq;
          const shown = messages.map((row) => loggedMessage(row, readBody));
          yield transitionOf(runId, event, shown, ended === 1 && seq === upTo);
        }
        if (seq === range.after) break;
        run = await store.query('loadRun', { tenant, id: runId });
      }
      for (;;) {
        const signal = waiting.shift();
        if (!signal) {
          if (stopped) return;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        if (signal.seq !== undefined && signal.seq <= seq) continue;
        run ??= await store.query('loadRun', { tenant, id: runId });
        yield signal.seq === undefined
          ? signal
          : await withMessages({ store, readBody }, run, signal, signal.seq);
        if (signal.type === 'stalled') throw signal.error;
        if (signal.type === 'transition' && signal.ended === true) return;
      }
    } finally {
      leave();
      attendance.leave();
    }
  }
}

async function withMessages(
  { store, readBody }: Omit<FollowParts, 'bus'>,
  run: RunRow | undefined,
  signal: RunSignal,
  seq: number,
): Promise<RunSignal> {
  const messages = run ? await Array.fromAsync(readMessages(store, run, messagesAt(seq, seq))) : [];
  return { ...signal, messages: messages.map((row) => loggedMessage(row, readBody)) };
}

import { deltaPart, deltaText, isModelDelta, type ModelDelta } from '../protocol/content.ts';
/**
 * Tells watchers that something happened. Only a hint: the events table is the source of truth. A watcher that missed a
 * signal reads the table from its last `seq`.
 */
export interface EventBus {
  notify(signal: RunSignal): void;
  /**
   * Calls `listener` for each signal of the run from now on. Returns the unsubscribe function. `listener` must not
   * throw.
   */
  listen(runId: string, listener: (signal: RunSignal) => void): () => void;
  /** Deltas of the answer that streams now, from its beginning; none when no answer streams. */
  soFar(runId: string): RunSignal[];
  /** Forgets the answer that a run streams in another process, once the run has no listener here. */
  forget(runId: string): void;
  /** From now on, the bus also signals the transitions of a run that another process drives. */
  attend(tenant: number, runId: string): Attendance;
  /** Sets what `attend` does, and how transitions are made complete. By default nothing: one process drives all runs. */
  attendWith(attend: EventBus['attend'], complete: Complete): void;
}

export interface Attendance {
  /**
   * Resolves when it is known which transition was the last before. Read the run after that: what you read before may be older than
   * what the bus takes for known, and is never signalled.
   */
  begun: Promise<void>;
  leave(): void;
}

/**
 * The transitions to tell instead of one: with those before it that another process has made, or none if it was told
 * before. A promise must not reject; the run's later signals wait for it.
 */
type Complete = (transition: RunSignal) => readonly RunSignal[] | Promise<readonly RunSignal[]>;

/** The bus of one process. */
export function createEmbeddedBus(): EventBus {
  const listeners = new Map<string, Set<(signal: RunSignal) => void>>();
  /** Signals that wait for earlier transitions of their run. */
  const delayed = new Map<string, RunSignal[]>();
  let attend: EventBus['attend'] = () => ({ begun, leave() {} });
  let complete: Complete = (signal) => [signal];
  const answers = new AnswersSoFar();
  const begun = Promise.resolve();
  const tell = (signals: readonly RunSignal[]) => {
    for (const signal of signals) {
      const news = answers.hear(signal);
      if (news) for (const listener of [...(listeners.get(signal.runId) ?? [])]) listener(news);
    }
  };
  const notify = (signal: RunSignal) => {
    const { runId, seq } = signal;
    const behind = delayed.get(runId);
    if (behind) return void behind.push(signal);
    const whole = seq === undefined ? [signal] : complete(signal);
    if (!(whole instanceof Promise)) return tell(whole);
    const later: RunSignal[] = [];
    delayed.set(runId, later);
    void whole.then((signals) => {
      tell(signals);
      delayed.delete(runId);
      for (const one of later) notify(one);
    });
  };
  return {
    attend: (tenant, runId) => attend(tenant, runId),
    attendWith(...given) {
      [attend, complete] = given;
    },
    notify,
    soFar: (runId) => answers.of(runId),
    forget: (runId) => answers.forget(runId),
    listen(runId, listener) {
      const own = listeners.get(runId) ?? new Set();
      listeners.set(runId, own.add(listener));
      return () => {
        own.delete(listener);
        // A listener that unsubscribes twice must not remove a newer set with other listeners.
        if (own.size === 0 && listeners.get(runId) === own) listeners.delete(runId);
      };
    },
  };
}

/**
 * Tells other drivers of a database that rows wait for them, and passes on signals of their runs. A hint carries no
 * order and may be lost: the rows are the truth, and every driver also polls them.
 */
export interface Hints {
  /** Asks another driver to look at the rows soon. */
  send(driver: number): void;
  /**
   * Calls `look` for each hint, and when another driver ends to which this one sent hints, or which it attended or
   * followed. From now on the signals of `bus` go to those who follow runs of this driver.
   */
  listen(look: () => void, bus: EventBus): void;
  /** Has `look` called when another driver ends. */
  attend(driver: number): void;
  /** The signals of a run that another driver drives, as far as they arrive. Returns a function that ends that. */
  follow(driver: number, runId: string, on: (signal: RunSignal) => void): () => void;
}

/** For a process that has its store to itself: no other process delivers commands. */
export const noHints: Hints = { send() {}, listen() {}, attend() {}, follow: () => () => {} };

/** Something that happened in a run. Transitions have a `seq` and are in the log. All other signals are not stored. */
export interface RunSignal {
  runId: string;
  type: string;
  seq?: number;
  [key: string]: unknown;
}

interface Streaming {
  effectId: unknown;
  attempt: unknown;
  /** By part of the answer: its text so far, as one delta from the beginning. */
  parts: Map<string, RunSignal>;
}

/** Keeps what has come of the answers that stream now, for those who begin to listen in the middle. */
class AnswersSoFar {
  readonly #streaming = new Map<string, Streaming>();

  /** The signal without the part of an answer that was received before; null if nothing new is in it. */
  hear(signal: RunSignal): RunSignal | null {
    if (signal.type !== 'delta') this.#end(signal);
    // Signals also come from other processes, and hosts of other machines have deltas of their own.
    else if (isModelDelta(signal.delta)) return this.#add(signal, signal.delta);
    return signal;
  }

  /** Forgets the answer of a run that another process drives, once the run has no listener here. */
  forget(runId: string): void {
    this.#streaming.delete(runId);
  }

  /** Deltas that have the whole answer so far, one for each of its parts. */
  of(runId: string): RunSignal[] {
    return [...(this.#streaming.get(runId)?.parts.values() ?? [])];
  }

  #end({ runId, type, effectId, ended, event }: RunSignal): void {
    const known = this.#streaming.get(runId);
    if (!known) return;
    const isOver =
      type === 'transition'
        ? ended === true || (event as { effectId?: unknown } | undefined)?.effectId === known.effectId
        : type === 'stalled' || (type === 'delta.reset' && effectId === known.effectId);
    if (isOver) this.#streaming.delete(runId);
  }

  #add(signal: RunSignal, delta: ModelDelta): RunSignal | null {
    const { runId, effectId, attempt } = signal;
    const offset = Number(signal.offset ?? 0);
    const { parts } = this.#of(runId, effectId, attempt);
    const key = deltaPart(delta);
    const before = parts.get(key);
    if (!before) {
      // An answer that began before this process listened is not kept: its beginning is missing.
      if (offset === 0) parts.set(key, signal);
      return signal;
    }
    const known = deltaText(before.delta as ModelDelta);
    const text = deltaText(delta);
    const repeated = known.length - offset;
    if (repeated > 0 && repeated >= text.length) return null;
    const news = repeated > 0 ? text.slice(repeated) : text;
    parts.set(key, { ...before, delta: withText(delta, known + news) });
    return repeated > 0 ? { ...signal, offset: known.length, delta: withText(delta, news) } : signal;
  }

  #of(runId: string, effectId: unknown, attempt: unknown): Streaming {
    const known = this.#streaming.get(runId);
    if (known && known.effectId === effectId && known.attempt === attempt) return known;
    const fresh = { effectId, attempt, parts: new Map<string, RunSignal>() };
    this.#streaming.set(runId, fresh);
    return fresh;
  }
}

function withText(delta: ModelDelta, text: string): ModelDelta {
  return delta.type === 'toolCall' ? { ...delta, argumentsDelta: text } : { ...delta, text };
}

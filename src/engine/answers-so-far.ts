import { deltaText, isModelDelta, type ModelDelta } from '../protocol/answer.ts';
import type { RunSignal } from './run-signal.ts';

interface Streaming {
  effectId: unknown;
  attempt: unknown;
  /** By part of the answer: its text so far, as one delta from the beginning. */
  parts: Map<string, RunSignal>;
}

/** Keeps what has come of the answers that stream now, for those who begin to listen in the middle. */
export class AnswersSoFar {
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
    const key = delta.type === 'toolCall' ? `call ${delta.index}` : delta.type;
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

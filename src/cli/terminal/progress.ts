import type { RunSignal } from '../../engine/bus.ts';
import type { ModelDelta } from '../../protocol/content.ts';
import type { RunView } from '../../protocol/views.ts';
import type { LogEvent } from '../../store/stored-call.ts';

const spinnerFrames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** What a spinner shows in its `n`th frame. */
export function spinnerFrame(n: number): string {
  return spinnerFrames[n % spinnerFrames.length] ?? '';
}

/** A transition, as a person sees it. */
interface Step {
  /** Lines about what happened; they stay on the screen. */
  notes: string[];
  /** Current activity; null when the run has ended or waits for a person. */
  doing: string | null;
}

const doings: Readonly<Record<string, string>> = {
  requesting: 'thinking',
  backingOff: 'waiting to retry',
  executing: 'using tools',
  flushing: 'writing memory',
  summarizing: 'summarising the conversation',
};

/** Describes what a run does. Events have calls by number; their names come with the messages and the streamed answers. */
export class Progress {
  readonly #names = new Map<number, string>();
  readonly #open = new Set<number>();
  /** Calls that are not made again after the process of them died. */
  readonly #unsafe = new Set<number>();
  /** Open calls that a note has reported. */
  readonly #reported = new Set<number>();

  /** Takes the names of the calls made before this watcher started. */
  learnNames({ steps }: RunView): void {
    for (const { callId, name } of steps.flatMap((step) => step.toolCalls))
      this.#names.set(Number(callId.slice(1)), name);
  }

  /** @param since milliseconds since the epoch: of an earlier transition there is nothing to report, which is null. */
  take({ path, event, messages, at }: RunSignal, since = 0): Step | null {
    // An answer that was not streamed has the names of its calls only here.
    for (const { toolCalls = [] } of (messages ?? []) as { toolCalls?: { callId: number; name: string }[] }[])
      for (const { callId, name } of toolCalls) this.#names.set(callId, name);
    const step = this.#transition(String(path), event as LogEvent);
    if (Number(at) >= since) return step;
    this.#reported.clear();
    return null;
  }

  delta(signal: RunSignal): void {
    const delta = signal.delta as ModelDelta;
    // The calls of an answer take the numbers that follow the effect of the model call.
    if (delta.type === 'toolCall') this.#names.set(Number(signal.effectId) + 1 + delta.index, delta.name);
  }

  #transition(path: string, event: LogEvent): Step {
    const notes = this.#happened(path, event);
    const state = path.split('.').at(-1) ?? path;
    if (state !== 'executing') return { notes, doing: doings[state] ?? null };
    const isTakenOver = event.type === 'run.resumed' || event.type === 'tool.uncertain';
    const atWork = [...this.#open].filter((callId) => !isTakenOver || !this.#unsafe.has(callId));
    const fresh = atWork.filter((callId) => !this.#reported.has(callId));
    for (const callId of fresh) this.#reported.add(callId);
    if (fresh.length > 0) notes.push(this.#using(fresh));
    return { notes, doing: isTakenOver && atWork.length === 0 ? null : this.#using(atWork) };
  }

  #using(calls: readonly number[]): string {
    const names = new Set(calls.map((callId) => this.#nameOf(callId)));
    return names.size > 0 ? `using ${[...names].join(', ')}` : 'using tools';
  }

  #happened(path: string, event: LogEvent): string[] {
    switch (event.type) {
      case 'model.done':
        return [...this.#called(event.calls ?? []), ...unfit(path, event)];
      case 'tool.done':
      case 'tool.failed':
      case 'tool.uncertain': {
        const callId = event.effectId ?? 0;
        // The log of a resumed run tells only here that an unsafe call was made: it had not begun before.
        const isNews =
          event.type !== 'tool.uncertain' && this.#open.has(callId) && !this.#reported.has(callId);
        this.#open.delete(callId);
        return [
          ...(isNews ? [this.#using([callId])] : []),
          ...(event.type === 'tool.failed' ? [`${this.#nameOf(callId)} failed: ${event.code}`] : []),
        ];
      }
      case 'model.failed':
        return path.endsWith('backingOff')
          ? [`${event.error?.message} Retrying in ${seconds(event)} s.`]
          : [];
      case 'model.switched':
        return [`${event.from}: ${event.error?.message} Continuing with ${event.to}.`];
      default:
        return [];
    }
  }

  #called(calls: { callId: number; gate: string; class: string }[]): string[] {
    this.#open.clear();
    this.#unsafe.clear();
    const refused: string[] = [];
    for (const { callId, gate, class: sideEffect } of calls) {
      if (gate === 'refuse') refused.push(`${this.#nameOf(callId)} was refused`);
      else this.#open.add(callId);
      if (sideEffect === 'unsafe') this.#unsafe.add(callId);
    }
    return refused;
  }

  #nameOf(callId: number): string {
    return this.#names.get(callId) || `call c${callId}`;
  }
}

function unfit(path: string, { fits }: LogEvent): string[] {
  const isAskedAgain = fits === false && path.endsWith('requesting');
  return isAskedAgain ? ['the answer does not fit the output schema; asking again with the errors'] : [];
}

function seconds({ delayMs = 0 }: LogEvent): string {
  return (delayMs / 1000).toFixed(1);
}

import type { RunSignal, RunView } from '../../../index.ts';
import type { ModelDelta } from '../../../protocol/answer.ts';
import { type MachineEvent, Progress } from '../../terminal/progress.ts';
import type { ChatConsole } from './console.ts';

/** Half of a character, or of a line end: the rest comes with the next piece. */
const half = /[\ud800-\udbff\r]$/;

/** Shows one run of a chat while it goes on. */
export class LiveRun {
  readonly #console: ChatConsole;
  readonly #progress = new Progress();
  /** Milliseconds since the epoch: what happened before is not told. */
  readonly #since: number;
  #effect: unknown = null;
  #shown = '';
  #held = '';
  #isAnswering = false;

  constructor(console: ChatConsole, since: number, before: RunView | null) {
    this.#console = console;
    this.#since = since;
    if (before) this.#progress.know(before);
  }

  signal(signal: RunSignal): void {
    if (signal.type === 'transition') this.#transition(signal);
    if (signal.type === 'delta') this.#delta(signal);
    if (signal.type === 'progress') this.#console.note(`· ${signal.message}`);
  }

  /** Says what has not been said yet: an answer that came whole was never streamed. */
  end({ status, text }: RunView): void {
    this.#console.status(null);
    if ((status === 'done' || status === 'failed') && this.#shown !== text) {
      this.#console.freshLine();
      this.#write(text);
    }
    this.#console.freshLine();
  }

  #transition({ at, path, event }: RunSignal): void {
    if (Number(at) < this.#since) {
      this.#progress.replay(String(path), event as MachineEvent);
      return;
    }
    const { notes, doing } = this.#progress.transition(String(path), event as MachineEvent);
    for (const note of notes) this.#console.note(`· ${note}`);
    if (String((event as MachineEvent).type).startsWith('model.')) this.#isAnswering = false;
    // A message that joins the run does not end the answer under way.
    this.#console.status(this.#isAnswering && doing !== null ? 'answering' : doing);
  }

  #delta(signal: RunSignal): void {
    this.#progress.delta(signal);
    const delta = signal.delta as ModelDelta;
    if (delta.type !== 'text' && delta.type !== 'refusal') return;
    if (signal.effectId !== this.#effect) {
      this.#console.freshLine();
      this.#effect = signal.effectId;
      this.#shown = '';
      this.#held = '';
      this.#isAnswering = true;
      this.#console.status('answering');
    }
    this.#write(delta.text);
  }

  #write(words: string): void {
    this.#shown += words;
    const text = this.#held + words;
    this.#held = half.exec(text)?.[0] ?? '';
    const whole = text.slice(0, text.length - this.#held.length);
    this.#console.words(whole.replaceAll('\r\n', '\n'));
  }
}

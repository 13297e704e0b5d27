import type { RunSignal, RunView } from '../../../index.ts';
import type { ModelDelta } from '../../../protocol/content.ts';
import type { LogEvent } from '../../../store/stored-call.ts';
import { Progress } from '../../terminal/progress.ts';
import { StreamedAnswer, withdrawal } from '../../terminal/streamed-answer.ts';
import type { ChatConsole } from './console.ts';

/** Half a character or half a line end at the end of a piece: the rest comes with the next piece. */
const half = /[\ud800-\udbff\r]$/;

/** Shows one run of a chat as it progresses. */
export class LiveRun {
  readonly #console: ChatConsole;
  readonly #progress = new Progress();
  /** Milliseconds since the epoch: earlier transitions are not reported. */
  readonly #since: number;
  readonly #answer = new StreamedAnswer();
  #isAnswering = false;

  constructor(console: ChatConsole, since: number, before: RunView | null) {
    this.#console = console;
    this.#since = since;
    if (before) this.#progress.learnNames(before);
  }

  signal(signal: RunSignal): void {
    if (signal.type === 'transition') this.#transition(signal);
    if (signal.type === 'delta') this.#delta(signal);
    if (signal.type === 'delta.reset') this.#withdraw(signal);
    if (signal.type === 'progress') this.#console.note(`· ${signal.message}`);
  }

  /** Prints the rest of the answer; without streaming that is all of it. */
  end({ status, text }: RunView): void {
    this.#console.status(null);
    if ((status === 'done' || status === 'failed') && this.#answer.shown !== text) {
      this.#console.freshLine();
      this.#write(text);
    }
    this.#console.freshLine();
  }

  #transition(signal: RunSignal): void {
    const step = this.#progress.take(signal, this.#since);
    if (!step) return;
    const { notes, doing } = step;
    if ((signal.event as LogEvent).type.startsWith('model.')) {
      this.#isAnswering = false;
      this.#console.freshLine();
    }
    for (const note of notes) this.#console.note(`· ${note}`);
    // A steering message does not end the answer in progress.
    this.#console.status(this.#isAnswering && doing !== null ? 'answering' : doing);
  }

  #delta(signal: RunSignal): void {
    this.#progress.delta(signal);
    const delta = signal.delta as ModelDelta;
    if (delta.type !== 'text' && delta.type !== 'refusal') return;
    if (this.#answer.begins(signal.effectId)) {
      this.#console.freshLine();
      this.#isAnswering = true;
      this.#console.status('answering');
    }
    this.#write(delta.text);
  }

  #withdraw({ effectId }: RunSignal): void {
    if (this.#answer.isOf(effectId)) this.#isAnswering = false;
    if (!this.#answer.breaksOff(effectId)) return;
    this.#console.freshLine();
    this.#console.note(`· ${withdrawal}`);
  }

  #write(words: string): void {
    const answer = this.#answer;
    answer.shown += words;
    const text = answer.held + words;
    answer.held = half.exec(text)?.[0] ?? '';
    const whole = text.slice(0, text.length - answer.held.length);
    this.#console.words(whole.replaceAll('\r\n', '\n'));
  }
}

import type { RunSignal } from '../../engine/bus.ts';
import { withReasons } from '../../gateway/local.ts';
import type { ModelDelta } from '../../protocol/content.ts';
import type { RunView } from '../../protocol/views.ts';
import { isWorkflowView } from '../../protocol/views.ts';
import type { LogEvent } from '../../store/stored-call.ts';
import { TextPieces } from '../../text/wording.ts';
import type { Io } from './io.ts';
import { Progress, spinnerFrame } from './progress.ts';
import { StreamedAnswer, withdrawal } from './streamed-answer.ts';
import { Control, styled } from './styled.ts';
import type { Terminal } from './terminal.ts';

/** How a run is shown: text as it streams, one JSON object at the end, or one JSON object for each transition. */
type Format = 'text' | 'json' | 'jsonl';

export interface OutputOptions {
  format: Format;
  quiet: boolean;
  /** With `jsonl`: also one object for each piece of an answer, and for each that is withdrawn. They are not in the log. */
  deltas?: boolean;
  /** Writes the words of an answer when it is complete, so that stdout never has any of an answer that broke off. */
  whole?: boolean;
  /** Milliseconds since the epoch: earlier transitions are not printed as progress. */
  since?: number;
  /** The run before it was resumed; undefined for a new run. */
  before?: RunView;
  /** It is the run of a workflow; known of one that was resumed. */
  isWorkflow?: boolean;
  /** The run has an output schema: with `text`, print its JSON at the end and nothing else. */
  isJsonAnswer?: boolean;
}

/**
 * Shows one run: data on stdout, progress on stderr.
 *
 * Words are written as they come. If their answer breaks off and is made again, a line in brackets takes them back, on
 * stdout as well, because that is where they are.
 */
export class RunPrinter {
  readonly #progress = new Progress();
  readonly #options: OutputOptions;
  readonly #io: Io;
  readonly #isLive: boolean;
  /** A line of progress would run into words that have no end yet. */
  readonly #isMixed: boolean;
  readonly #spinner: Spinner;
  readonly #pieces = new TextPieces();
  readonly #answer = new StreamedAnswer();
  #atLineStart = true;
  #shownSeq = 0;
  #doing: string | null = null;

  constructor(options: OutputOptions, io: Io) {
    this.#options = options;
    this.#io = io;
    this.#isLive = io.stderr.isTTY && io.env.TERM !== 'dumb';
    this.#isMixed = io.stdout.isTTY || io.isOneStream;
    this.#spinner = new Spinner(io.stderr);
    if (options.before) this.#progress.learnNames(options.before);
  }

  /** Whether it shows the run of a workflow: each transition then is a line, best with the `label` of the log. */
  get isOfWorkflow(): boolean {
    const { before, isWorkflow = before !== undefined && isWorkflowView(before) } = this.#options;
    return isWorkflow;
  }

  /** Of a workflow: the transitions up to this one have been shown, and are not shown again. */
  get shownSeq(): number {
    return this.#shownSeq;
  }

  signal(signal: RunSignal): void {
    if (this.#options.deltas && signal.type.startsWith('delta')) this.#io.json(signal);
    if (signal.type === 'transition') this.#transition(signal);
    if (signal.type === 'delta') this.#delta(signal);
    if (signal.type === 'delta.reset') this.#withdraw(signal);
    if (signal.type === 'progress') this.#note(String(signal.message));
  }

  /** Prints the rest of the answer, or with `json` the whole run. */
  async end(view: RunView): Promise<void> {
    this.pause();
    const { format } = this.#options;
    if (format === 'json') this.#io.json(await withReasons(view));
    if (format !== 'text') return;
    if (this.#options.isJsonAnswer) {
      if (view.output !== undefined) this.#io.json(view.output);
      return;
    }
    if (isWorkflowView(view)) {
      if (view.output !== undefined) this.#io.json(view.output);
      return;
    }
    this.#release();
    // An answer without streaming has not been printed yet.
    const isOver = view.status === 'done' || view.status === 'failed';
    const text = view.call?.isError === false ? (view.call.result ?? '') : view.text;
    if (isOver && text !== '' && this.#answer.shown !== text) {
      this.#freshLine();
      this.#write(text);
    }
    this.#freshLine();
  }

  /** Clears the spinner, so that other code can write to the terminal. */
  pause(): void {
    this.#spinner.stop();
    if (this.#isMixed) this.#freshLine();
  }

  /** Ends the output of a run whose final state is unknown. */
  breakOff(): void {
    this.pause();
    this.#freshLine();
  }

  #transition(signal: RunSignal): void {
    const { runId, seq, at, path, event, messages, label } = signal;
    const { type, effectId } = event as LogEvent;
    if (this.isOfWorkflow) {
      if (Number(seq) <= this.#shownSeq) return;
      this.#shownSeq = Number(seq);
    }
    const named = label === undefined ? {} : { label };
    if (this.#options.format === 'jsonl')
      this.#io.json({ runId, seq, at, path, ...(event as object), messages, ...named });
    if (this.isOfWorkflow) {
      if (Number(at) >= (this.#options.since ?? 0)) this.#note(`${String(label ?? type)} → ${String(path)}`);
      return;
    }
    const step = this.#progress.take(signal, this.#options.since);
    if (!step) return;
    if (type === 'model.done' && this.#answer.isOf(effectId)) this.#release();
    for (const note of step.notes) this.#note(note);
    this.#do(step.doing);
  }

  #delta(signal: RunSignal): void {
    this.#progress.delta(signal);
    const delta = signal.delta as ModelDelta;
    if (this.#options.format !== 'text' || this.#options.isJsonAnswer) return;
    if (delta.type !== 'text' && delta.type !== 'refusal') return;
    if (this.#answer.begins(signal.effectId)) this.#freshLine();
    if (this.#options.whole) this.#answer.held += delta.text;
    else this.#write(delta.text);
  }

  /** Writes the words that waited for the end of their answer. */
  #release(): void {
    const words = this.#answer.held;
    this.#answer.held = '';
    this.#write(words);
  }

  #withdraw({ effectId }: RunSignal): void {
    if (!this.#answer.breaksOff(effectId)) return;
    this.#spinner.stop();
    this.#freshLine();
    this.#io.out(`[${withdrawal}]\n`);
  }

  #write(words: string): void {
    if (words === '') return;
    this.#spinner.stop();
    this.#answer.shown += words;
    this.#print(this.#pieces.push(words));
  }

  #print(words: string): void {
    if (words === '') return;
    this.#io.out(words);
    this.#atLineStart = words.endsWith('\n');
  }

  #freshLine(): void {
    this.#print(this.#pieces.end());
    if (!this.#atLineStart) this.#io.out('\n');
    this.#atLineStart = true;
  }

  #do(doing: string | null): void {
    const isNew = doing !== this.#doing;
    this.#doing = doing;
    if (this.#options.quiet) return;
    if (doing === null) {
      this.#spinner.stop();
      return;
    }
    if (!this.#isLive) {
      // A note has reported these already.
      if (isNew && !/^(?:using|waiting to retry)/.test(doing)) this.#note(doing);
      return;
    }
    // The spinner must not overwrite a line that contains part of an answer.
    if (this.#atLineStart || !this.#io.stdout.isTTY) this.#spinner.start(doing);
  }

  #note(message: string): void {
    if (this.#options.quiet) return;
    this.#spinner.stop();
    if (this.#isMixed) this.#freshLine();
    this.#io.stderr.write([styled('dim', `· ${message}`), '\n']);
    if (this.#isLive && this.#doing !== null && this.#atLineStart) this.#spinner.start(this.#doing);
  }
}

const frameMs = 80;

/** An animated status line on a terminal's stderr. */
class Spinner {
  readonly #stderr: Terminal;
  #frame = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(stderr: Terminal) {
    this.#stderr = stderr;
  }

  start(label: string): void {
    this.stop();
    this.#timer = setInterval(() => this.#draw(label), frameMs);
    this.#timer.unref();
  }

  /** Clears the line. */
  stop(): void {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.#stderr.write([new Control('lineStart'), new Control('eraseLineRight')]);
  }

  #draw(label: string): void {
    const frame = spinnerFrame(this.#frame++);
    const line = styled('dim', `${frame} ${label}`);
    this.#stderr.write([new Control('lineStart'), line, new Control('eraseLineRight')]);
  }
}

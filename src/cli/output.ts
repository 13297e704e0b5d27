import type { RunSignal } from '../engine/bus.ts';
import type { ModelDelta } from '../protocol/answer.ts';
import type { RunView } from '../protocol/run-view.ts';

/** How a run is shown: words as they come, one object at the end, or the log line by line. */
export type Format = 'text' | 'json' | 'jsonl';

export interface OutputOptions {
  format: Format;
  quiet: boolean;
}

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const spinnerMs = 80;

/** Shows one run: data on stdout, progress on stderr. */
export class RunPrinter {
  readonly #options: OutputOptions;
  readonly #isLive = process.stderr.isTTY === true;
  readonly #color = this.#isLive && !process.env.NO_COLOR;
  #shown = '';
  #atLineStart = true;
  #effect: unknown = null;
  #state = '';
  #frame = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: OutputOptions) {
    this.#options = options;
  }

  signal(signal: RunSignal): void {
    const { format } = this.#options;
    if (signal.type === 'transition') {
      if (format === 'jsonl') {
        const { seq, at, path, event } = signal;
        out(`${JSON.stringify({ seq, at, path, ...(event as object) })}\n`);
      }
      this.#progress(
        String(signal.path),
        signal.event as { type: string; code?: string; delayMs?: number; error?: { message: string } },
      );
    }
    if (signal.type === 'delta' && format === 'text') this.#delta(signal);
    if (signal.type === 'progress') this.#note(String(signal.message));
  }

  /** Says how it ended; with `json`, all there is to know. */
  end(view: RunView): void {
    this.#stopSpinner();
    if (this.#options.format === 'json') return out(`${JSON.stringify(view)}\n`);
    if (this.#options.format === 'jsonl') return;
    // Answers that came whole were never streamed.
    if (
      view.text !== '' &&
      this.#shown !== view.text &&
      (view.status === 'done' || view.status === 'failed')
    ) {
      this.#freshLine();
      this.#write(view.text);
    }
    this.#freshLine();
  }

  #delta(signal: RunSignal): void {
    const delta = signal.delta as ModelDelta;
    if (delta.type !== 'text' && delta.type !== 'refusal') return;
    if (signal.effectId !== this.#effect) {
      this.#freshLine();
      this.#effect = signal.effectId;
      this.#shown = '';
    }
    this.#shown += delta.text;
    this.#write(delta.text);
  }

  #write(words: string): void {
    if (words === '') return;
    this.#stopSpinner();
    out(words);
    this.#atLineStart = words.endsWith('\n');
  }

  #freshLine(): void {
    if (!this.#atLineStart) out('\n');
    this.#atLineStart = true;
  }

  #progress(
    path: string,
    event: { type: string; code?: string; delayMs?: number; error?: { message: string } },
  ): void {
    if (event.type === 'tool.failed') this.#note(`tool failed: ${event.code}`);
    if (event.type === 'model.failed' && path.endsWith('backingOff'))
      this.#note(
        `${event.error?.message ?? 'the provider failed'}; next attempt in ${((event.delayMs ?? 0) / 1000).toFixed(1)} s`,
      );
    const state = path.split('.').at(-1) ?? path;
    const name = stateNames[state] ?? state;
    if (name === this.#state) return;
    this.#state = name;
    if (this.#options.quiet) return;
    if (this.#isLive && this.#options.format === 'text') return this.#spin();
    this.#note(name);
  }

  #note(message: string): void {
    if (this.#options.quiet) return;
    this.#stopSpinner();
    if (this.#isLive) this.#freshLine();
    process.stderr.write(this.#color ? `\u001b[2m· ${message}\u001b[0m\n` : `· ${message}\n`);
  }

  #spin(): void {
    this.#stopSpinner();
    if (!this.#atLineStart || finals.has(this.#state)) return;
    this.#timer = setInterval(() => {
      const frame = spinner[this.#frame++ % spinner.length];
      process.stderr.write(
        this.#color
          ? `\r\u001b[2m${frame} ${this.#state}\u001b[0m\u001b[K`
          : `\r${frame} ${this.#state}\u001b[K`,
      );
    }, spinnerMs);
    this.#timer.unref();
  }

  #stopSpinner(): void {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = null;
    process.stderr.write('\r\u001b[K');
  }
}

const finals = new Set(['done', 'failed', 'cancelled']);

const stateNames: Readonly<Record<string, string>> = {
  requesting: 'thinking',
  backingOff: 'waiting to try again',
  executing: 'using tools',
  flushing: 'writing memory',
  summarizing: 'summarising the conversation',
  awaitingConfirm: 'waiting for a decision',
  reconciling: 'waiting to hear what became of a call',
};

export function out(text: string): void {
  process.stdout.write(text);
}

/** A line on stderr, whatever `--quiet` says: it is about what went wrong or must be done. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** How a person moves a run on that only a person can move. */
export function howToDecide(view: RunView, blocker: string | null): string {
  const { runId, pending } = view;
  if (view.status === 'queued')
    return `run ${runId} waits behind run ${blocker ?? '?'} of session ${view.sessionId}; decide on that one ("detent runs show ${blocker ?? ''}"), then: detent runs resume ${runId}`;
  if (view.status === 'interrupted')
    return `run ${runId} is interrupted; carry it on with: detent runs resume ${runId}`;
  const lines = pending.flatMap(({ kind, callId, name, arguments: args, why }) => {
    const call = `  ${callId} ${name} ${JSON.stringify(args)}  (${why})`;
    const command = kind === 'reconcile' ? 'reconcile' : 'confirm';
    const choices =
      kind === 'reconcile'
        ? '--ran [--result TEXT] | --retry | --skip'
        : '--approve | --reject [--reason TEXT] | --modify JSON';
    return [call, `    detent runs ${command} ${runId} ${callId} ${choices}`];
  });
  return [`run ${runId} waits for a decision:`, ...lines, `then: detent runs resume ${runId}`].join('\n');
}

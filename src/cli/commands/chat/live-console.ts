import type { Asked, Io } from '../../terminal/io.ts';
import { spinnerFrame } from '../../terminal/progress.ts';
import { Control, styled, type Text } from '../../terminal/styled.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { textWidth } from '../../terminal/text-width.ts';
import type { ChatConsole, ConsoleListener } from './console.ts';
import { layOut, maxTailRows } from './input-rows.ts';
import { LineEditor, type LineOwner } from './line-editor.ts';
import { type Footer, LiveScreen } from './live-screen.ts';
import { MarkdownAnswer, type RenderMarkdown } from './markdown-answer.ts';
import { completions } from './slash-command.ts';

const frameMs = 100;
/** A person who typed within this time is still typing a line: a question waits until they pause. */
const pauseMs = 700;
const deadly = ['SIGTERM', 'SIGHUP'] as const;
/** Lines of a long message that stay on the screen. */
const maxEchoedLines = 12;
/** Columns for an answer beside its question. */
const answerColumns = 12;

interface Question {
  text: string;
  resolve(asked: Asked): void;
}

/** A terminal that streams output above the input line. */
export class LiveConsole implements ChatConsole, LineOwner {
  readonly #listener: ConsoleListener;
  readonly #io: Io;
  readonly #screen: LiveScreen;
  readonly #editor: LineEditor;
  readonly #skills: readonly string[];
  /** Whether stdout is this terminal; if not, answers go to a file or a program. */
  readonly #isOutHere: boolean;
  /** Null where answers are shown as they come. */
  readonly #markdown: MarkdownAnswer | null;
  #outAtLineStart = true;
  #prompt = '';
  #status: { text: string; since: number } | null = null;
  #frame = 0;
  #spinner: NodeJS.Timeout | null = null;
  #question: Question | null = null;
  /** The draft that a question replaced on the line; null without an open question. */
  #draft: string | null = null;
  /** Ends the wait for a typing pause. */
  #dropQuestion: (() => void) | null = null;
  #typedAt = 0;
  #drawing: NodeJS.Immediate | null = null;
  readonly #stopResizing: () => void;
  #isLent = false;
  #isClosed = false;

  /**
   * @param skills names to complete after a slash, besides the commands
   * @param render renders answers; null to show them as they come
   */
  constructor(
    listener: ConsoleListener,
    io: Io,
    history: readonly string[],
    skills: readonly string[],
    render: RenderMarkdown | null,
  ) {
    this.#listener = listener;
    this.#markdown = render && new MarkdownAnswer(render);
    this.#io = io;
    this.#isOutHere = io.stdout.isTTY;
    this.#screen = new LiveScreen(this.#terminal);
    this.#skills = skills;
    this.#editor = new LineEditor(this, history);
    this.#io.stdin.setEncoding('utf8').on('data', this.#typed).on('end', this.left);
    process.on('SIGINT', this.interrupt).on('exit', this.#restore);
    for (const signal of deadly) process.on(signal, this.#killed);
    this.#stopResizing = this.#terminal.onResize(this.#resized);
    this.#take();
  }

  words(text: string): void {
    if (text === '') return;
    if (this.#isOutHere && this.#markdown) this.#above(this.#markdown.push(text, this.#screen.columns));
    else if (this.#isOutHere) this.#screen.write(text);
    else {
      this.#io.out(text);
      this.#outAtLineStart = text.endsWith('\n');
    }
  }

  freshLine(): void {
    if (this.#markdown) this.#above(this.#markdown.end(this.#screen.columns));
    if (!this.#screen.isAtLineStart) this.#screen.write('\n');
    if (!this.#outAtLineStart) this.#io.out('\n');
    this.#outAtLineStart = true;
  }

  note(text: string): void {
    this.show(styled('dim', text));
  }

  show(text: Text): void {
    if (this.#isClosed) return void this.#io.stderr.write([text, '\n']);
    if (!this.#screen.isAtLineStart) this.#screen.write('\n');
    this.#screen.write([text, '\n']);
  }

  status(text: string | null): void {
    if (text === null) this.#status = null;
    else if (text !== this.#status?.text) this.#status = { text, since: performance.now() };
    if (this.#status && !this.#spinner) this.#spinner = setInterval(this.#spin, frameMs).unref();
    if (!this.#status && this.#spinner) {
      clearInterval(this.#spinner);
      this.#spinner = null;
    }
    this.#draw();
  }

  prompt(text: string): void {
    this.#prompt = text;
    this.#draw();
  }

  remember(entries: readonly string[]): void {
    this.#editor.history = entries;
  }

  /** Asks once the person has paused typing. */
  async ask(question: string, prefilled = ''): Promise<Asked> {
    if (!(await this.#pauseInTyping())) return { end: 'withdrawn' };
    return new Promise((resolve) => {
      const fits = textWidth(question) + answerColumns <= this.#screen.columns;
      if (!fits) this.show(question.trimEnd());
      const before = this.#editor.replace(prefilled);
      this.#draft ??= before;
      this.#question = { text: fits ? question : '? ', resolve };
      this.#draw();
    });
  }

  withdraw(): void {
    this.#dropQuestion?.();
    this.#answer({ end: 'withdrawn' });
  }

  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#give();
    try {
      return await work();
    } finally {
      this.#take();
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.withdraw();
    this.status(null);
    this.#give();
    this.#isClosed = true;
    this.#io.stdin.off('data', this.#typed).off('end', this.left);
    process.off('SIGINT', this.interrupt).off('exit', this.#restore);
    for (const signal of deadly) process.off(signal, this.#killed);
    this.#stopResizing();
    this.#editor.close();
  }

  get #terminal(): Terminal {
    return this.#isOutHere ? this.#io.stdout : this.#io.stderr;
  }

  readonly #typed = (data: string) => {
    this.#typedAt = performance.now();
    this.#editor.push(data);
  };

  line(text: string): void {
    const question = this.#question;
    this.#echo(question?.text ?? this.#prompt, text);
    if (question) this.#answer({ line: text });
    else this.#listener.line(text);
    this.#draw();
  }

  /** Leaves the entered line on the screen. */
  #echo(prompt: string, text: string): void {
    const lines = text.split('\n');
    const left = lines.length - maxEchoedLines;
    const shown = left > 0 ? [...lines.slice(0, maxEchoedLines), `… ${left} more lines`] : lines;
    const indent = ' '.repeat(textWidth(prompt));
    this.show([styled('cyan', prompt), shown.join(`\n${indent}`)]);
  }

  readonly interrupt = () => {
    if (this.#isLent) return;
    if (this.#question) {
      this.#echo(this.#question.text, `${this.#editor.text}^C`);
      return this.#answer({ end: 'interrupted' });
    }
    const draft = this.#editor.text;
    if (!this.#listener.interrupt(draft) || this.#isClosed) return;
    this.#echo(this.#prompt, `${draft}^C`);
    this.#editor.replace('');
  };

  readonly left = () => {
    if (this.#question) return this.#answer({ end: 'left' });
    this.#listener.left();
  };

  #answer(asked: Asked): void {
    const question = this.#question;
    if (!question) return;
    this.#question = null;
    this.#editor.replace('');
    question.resolve(asked);
    // The draft returns later: the answer may lead to the next question, which needs the line.
    setImmediate(() => this.#giveLineBack());
  }

  #giveLineBack(): void {
    if (this.#question || this.#draft === null) return;
    this.#editor.replace(this.#draft);
    this.#draft = null;
  }

  /** Waits for a typing pause; returns false when the question is withdrawn meanwhile. */
  async #pauseInTyping(): Promise<boolean> {
    while (this.#draft === null && this.#editor.text !== '') {
      const left = this.#typedAt + pauseMs - performance.now();
      if (left <= 0) return true;
      const isStill = await new Promise<boolean>((resolve) => {
        // Lets the event loop read input that arrived while this process was busy.
        const timer = setTimeout(() => setImmediate(resolve, true), left);
        this.#dropQuestion = () => {
          clearTimeout(timer);
          resolve(false);
        };
      });
      this.#dropQuestion = null;
      if (!isStill) return false;
    }
    return true;
  }

  readonly #spin = () => {
    this.#frame++;
    this.#draw();
  };

  readonly #resized = () => {
    this.#screen.resized();
    this.#draw();
  };

  clear(): void {
    this.#screen.clear();
    this.#draw();
  }

  completions(line: string): string[] {
    return this.#question ? [] : completions(line, this.#skills);
  }

  /** Draws once for a burst of keys. */
  changed(): void {
    this.#drawing ??= setImmediate(() => {
      this.#drawing = null;
      this.#draw();
    });
  }

  #draw(): void {
    if (this.#isLent || this.#isClosed) return;
    this.#screen.show(this.#footer());
  }

  /** Writes blocks of an answer in one step with the footer, whose tail has them no longer. */
  #above(blocks: Text): void {
    if (blocks === '') this.changed();
    else this.#screen.write(blocks, this.#footer());
  }

  #footer(): Footer {
    const { text, cursor } = this.#editor;
    const prompt = this.#question?.text ?? this.#prompt;
    const tail = this.#markdown?.tail(maxTailRows) ?? '';
    const parts = { tail, status: this.#question ? null : this.#doing(), prompt, line: text, cursor };
    return layOut(parts, { columns: this.#screen.columns, rows: this.#terminal.rows || 24 });
  }

  #doing(): string | null {
    if (!this.#status) return null;
    const seconds = Math.floor((performance.now() - this.#status.since) / 1000);
    const time = seconds > 1 ? ` ${seconds} s` : '';
    return `${spinnerFrame(this.#frame)} ${this.#status.text}${time} (Ctrl-C stops)`;
  }

  #take(): void {
    this.#io.stdin.setRawMode?.(true);
    this.#io.stdin.resume();
    this.#terminal.write(new Control('pasteOn'));
    this.#isLent = false;
    this.#draw();
  }

  #give(): void {
    this.#screen.show(null);
    this.freshLine();
    this.#isLent = true;
    this.#io.stdin.pause();
    this.#restore();
  }

  readonly #restore = () => {
    this.#terminal.write(new Control('pasteOff'));
    // A closed terminal throws here.
    if (!this.#io.stdin.destroyed) this.#io.stdin.setRawMode?.(false);
  };

  /** Restores the terminal, then lets the signal end the process. */
  readonly #killed = (signal: NodeJS.Signals) => {
    this.close();
    process.kill(process.pid, signal);
  };

  suspend(): void {
    this.#give();
    process.once('SIGCONT', () => this.#take());
    process.kill(process.pid, 'SIGTSTP');
  }
}

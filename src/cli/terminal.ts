import { createInterface } from 'node:readline';

/** A line; or the person left (Ctrl-D), or pressed Ctrl-C, with or without words on the line. */
export type Said = { line: string } | { end: 'left' | 'interrupted'; hadWords: boolean };

/** Whether there is somebody to ask: one who can read the question, and answer it. */
export function isAttended(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/**
 * Asks a person for lines.
 *
 * The terminal is in raw mode only while a question is open: in between, Ctrl-C is a signal again, and what is typed
 * ahead waits in the terminal.
 */
export class Terminal {
  #history: string[] = [];
  /** Lines that were pasted behind the first one. */
  readonly #ahead: string[] = [];

  ask(prompt: string): Promise<Said> {
    const line = this.#ahead.shift();
    if (line !== undefined) return Promise.resolve({ line });
    const terminal = createInterface({
      input: process.stdin,
      output: process.stderr,
      prompt,
      history: [...this.#history],
      removeHistoryDuplicates: true,
    });
    return new Promise((resolve) => {
      let said: Said = { end: 'left', hadWords: false };
      let isAnswered = false;
      terminal.on('line', (line) => {
        if (isAnswered) return void this.#ahead.push(line);
        isAnswered = true;
        said = { line };
        // Not at once: the rest of a paste is still on its way through the interface.
        setImmediate(() => terminal.close());
      });
      terminal.on('SIGINT', () => {
        said = { end: 'interrupted', hadWords: terminal.line !== '' };
        terminal.close();
      });
      terminal.on('history', (history) => {
        this.#history = history;
      });
      terminal.on('close', () => {
        if (!isAnswered) process.stderr.write('\n');
        resolve(said);
      });
      terminal.prompt();
    });
  }
}

import { createInterface } from 'node:readline';

/** A line; or the person left (Ctrl-D), or pressed Ctrl-C. */
export type Said = { line: string } | { end: 'left' | 'interrupted' };

/** Whether there is somebody to ask: one who can read the question, and answer it. */
export function isAttended(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/**
 * Asks the person at the terminal for a line.
 *
 * The terminal is in raw mode only while the question is open: in between, Ctrl-C is a signal again.
 *
 * @param prefilled stands on the line already, to be changed.
 */
export function askLine(question: string, prefilled = ''): Promise<Said> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr, prompt: question });
  return new Promise((resolve) => {
    let said: Said | null = null;
    terminal.on('line', (line) => {
      // What was pasted behind the first line answers nothing.
      said ??= { line };
      terminal.close();
    });
    terminal.on('SIGINT', () => {
      said ??= { end: 'interrupted' };
      process.stderr.write('\n');
      terminal.close();
    });
    terminal.on('close', () => {
      if (!said) process.stderr.write('\n');
      resolve(said ?? { end: 'left' });
    });
    terminal.prompt();
    if (prefilled !== '') terminal.write(prefilled);
  });
}

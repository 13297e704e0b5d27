import type { Person } from '../../drive/decide-here.ts';

/** Receives the person's input. */
export interface ConsoleListener {
  /** The person entered a line while no question was open. */
  line(text: string): void;
  /** The person pressed Ctrl-C while no question was open; returns whether to clear the line. */
  interrupt(draft: string): boolean;
  /** The person pressed Ctrl-D on an empty line, or the input ended. */
  left(): void;
}

/** The terminal interface of a chat. */
export interface ChatConsole extends Person {
  /** Writes a piece of a streamed answer. */
  words(text: string): void;
  /** Ends an answer, or an incomplete output line. */
  freshLine(): void;
  /** Writes a line that stays on the screen. */
  note(text: string): void;
  /** Shows the current activity; null clears it. */
  status(text: string | null): void;
  /** Sets the prompt before the input line. */
  prompt(text: string): void;
  /** Ends an open `ask` whose answer is no longer needed. */
  withdraw(): void;
  /** Sets what the arrow keys bring back, newest first. */
  remember(entries: readonly string[]): void;
  close(): void;
}

import type { Person } from '../../drive/decide-here.ts';

/** What a chat hears from the person. */
export interface ConsoleListener {
  /** A line was entered, and nothing was being asked. */
  line(text: string): void;
  /** Ctrl-C, and nothing was being asked; answers whether what stands on the line shall go. */
  interrupt(draft: string): boolean;
  /** Ctrl-D on an empty line, or the end of the input. */
  left(): void;
}

/** Where a chat is shown and typed. */
export interface ChatConsole extends Person {
  /** Words of an answer, as they come. */
  words(text: string): void;
  /** Ends a line that words have begun. */
  freshLine(): void;
  /** A line about what goes on, which stays. */
  note(text: string): void;
  /** What goes on now; null when nothing does. */
  status(text: string | null): void;
  /** What stands before the line that is typed. */
  prompt(text: string): void;
  /** Ends an open `ask` without an answer: it is not needed any more. */
  withdraw(): void;
  /** Sets what the arrow keys bring back, newest first. */
  remember(entries: readonly string[]): void;
  close(): void;
}

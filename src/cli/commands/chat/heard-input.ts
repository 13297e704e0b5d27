import { type Input, readInput } from './slash-command.ts';
import type { ChatState } from './state.ts';

/** What was typed, as {@link readInput} has it; but what is no command may name a skill, and is said to the model then. */
export async function heardInput({ detent }: ChatState, text: string): Promise<Input> {
  const input = readInput(text);
  if (input.kind !== 'unknown') return input;
  const { named } = await detent.skills.why(text);
  return named === null ? input : { kind: 'message', text };
}

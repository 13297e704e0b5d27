import { type Input, readInput } from './slash-command.ts';
import type { ChatState } from './state.ts';

/** Reads a line like {@link readInput}. An unknown command that names a skill becomes a message to the model. */
export async function readInputOrSkill({ detent }: ChatState, text: string): Promise<Input> {
  const input = readInput(text);
  if (input.kind !== 'unknown') return input;
  const { named } = await detent.skills.why(text);
  return named === null ? input : { kind: 'message', text };
}

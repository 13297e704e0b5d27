import { type Input, readInput } from './slash-command.ts';
import type { ChatState } from './state.ts';

/** Reads a line like {@link readInput}. An unknown command that names a skill becomes a message to the model. */
export async function readInputOrSkill({ port }: ChatState, text: string): Promise<Input> {
  const input = readInput(text);
  if (input.kind !== 'unknown') return input;
  const [, word] = /^\/(\S+)/.exec(text) ?? [];
  const { skills } = (await port.ask('skill.list', {})).skills;
  const isSkill = skills.some(({ name, off, forPeople }) => name === word && off === null && forPeople);
  return isSkill ? { kind: 'message', text } : input;
}

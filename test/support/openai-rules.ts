import type { PromptMessage } from '../../src/protocol/ports/chat-model.ts';

/**
 * What providers of the chat-completions wire refuse a conversation for, checked strictly: answers what is wrong, in
 * words. Empty for a valid one.
 */
export function chatRuleViolations(messages: readonly PromptMessage[]): string[] {
  const wrong: string[] = [];
  const ids = new Set<string>();
  let place = 0;
  while (place < messages.length) {
    const message = messages[place] as PromptMessage;
    const where = `message ${place} (${message.role})`;
    place++;
    if (message.role === 'system' && place > 1) wrong.push(`${where} does not come first`);
    if (message.role === 'tool') wrong.push(`${where} answers no call: ${message.toolCallId}`);
    if (message.role !== 'assistant') continue;
    if (message.text.trim() === '' && message.toolCalls.length === 0) wrong.push(`${where} is empty`);
    for (const { id, name } of message.toolCalls) {
      if (id === '') wrong.push(`${where} has a call without an id`);
      if (ids.has(id)) wrong.push(`${where} has an id that was used before: ${id}`);
      ids.add(id);
      const result = messages[place];
      if (result?.role !== 'tool' || result.toolCallId !== id)
        wrong.push(`${where}: call ${id} is not followed by its result`);
      else if (result.name !== name)
        wrong.push(`${where}: the result of ${id} is called ${result.name}, not ${name}`);
      if (result?.role === 'tool') place++;
    }
  }
  const last = messages.at(-1)?.role;
  if (last !== 'user' && last !== 'tool') wrong.push(`the last message is ${last ?? 'missing'}`);
  return wrong;
}

/** Whether one prompt begins with all of another. */
export function isPrefix(earlier: readonly PromptMessage[], later: readonly PromptMessage[]): boolean {
  return earlier.every((message, i) => JSON.stringify(message) === JSON.stringify(later[i]));
}

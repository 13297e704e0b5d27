import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messagesRequestBody } from '../../../src/models/anthropic/messages-request.ts';
import type { PromptMessage, ToolSpec } from '../../../src/protocol/ports/chat-model.ts';
import { inSizes } from '../../support/size.ts';
import { requestViolations } from '../../support/wire-rules/anthropic-messages.ts';
import { conversation, dialogue } from './conversations.ts';

const numRuns = inSizes({ usual: 100, deep: 500, full: 20_000 });

const tools: ToolSpec[] = [
  { name: 'add', description: 'Adds', parameters: { type: 'object', properties: { a: { type: 'number' } } } },
  { name: 'mul', description: '', parameters: { anyOf: [{ properties: { b: { type: 'number' } } }] } },
];

function bodyOf(messages: readonly PromptMessage[]) {
  const dialect = { maxTokens: null, promptCaching: true, thinking: { budgetTokens: 2_000 } };
  return messagesRequestBody({ model: 'm', messages, tools }, dialect);
}

describe('the request of any conversation', () => {
  it('breaks no rule of the wire', () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        expect(requestViolations(bodyOf(messages))).toEqual([]);
      }),
      { numRuns },
    );
  });

  it('begins with each request before it, so that the cache serves what it has read', () => {
    fc.assert(
      fc.property(dialogue, (messages) => {
        const whole = bodyOf(messages).messages as unknown as Message[];
        const answers = messages.flatMap(({ role }, i) => (role === 'assistant' ? [i] : []));
        for (const answer of answers) {
          const earlier = bodyOf(messages.slice(0, answer)).messages as unknown as Message[];
          expect(earlier.map(withoutMarks)).toEqual(whole.slice(0, earlier.length).map(withoutMarks));
          expect(earlier.at(-1)?.content.at(-1)).toHaveProperty('cache_control');
        }
      }),
      { numRuns },
    );
  });
});

interface Message {
  role: string;
  content: Record<string, unknown>[];
}

function withoutMarks({ role, content }: Message) {
  return { role, content: content.map(({ cache_control, ...block }) => block) };
}

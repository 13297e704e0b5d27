import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolSpec } from '../../../src/agent/chat-model.ts';
import { messagesRequestBody } from '../../../src/models/anthropic/messages-request.ts';
import { sized } from '../../support/size.ts';
import { conversation } from './conversations.ts';
import { requestViolations } from './rules.ts';

const numRuns = sized(500, 20_000);

const tools: ToolSpec[] = [
  { name: 'add', description: 'Adds', parameters: { type: 'object', properties: { a: { type: 'number' } } } },
  { name: 'mul', description: '', parameters: { anyOf: [{ properties: { b: { type: 'number' } } }] } },
];

function bodyOf(messages: Parameters<typeof messagesRequestBody>[0]['messages'], promptCaching = true) {
  const thinking = { budgetTokens: 2_000 };
  return messagesRequestBody({ model: 'm', messages, tools }, { maxTokens: null, promptCaching, thinking });
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

  it('begins with the request before it, so that the cache serves what it has read', () => {
    fc.assert(
      fc.property(conversation, fc.nat(), (messages, at) => {
        const starts = messages.flatMap(({ role }, i) => (role === 'assistant' ? [i] : []));
        const start = starts[at % starts.length];
        if (start === undefined) return;
        const earlier = bodyOf(messages.slice(0, start), false).messages as unknown[];
        const later = bodyOf(messages, false).messages as unknown[];
        const asked = messages.slice(0, start).findLast(({ role }) => role !== 'system');
        // What a server does itself is settled later, and a message that was made up is not said twice.
        if (!asked || asked.role === 'assistant' || asked.text.trim() === '') return;
        if (JSON.stringify(messages).includes('srvtoolu')) return;
        expect(later.slice(0, earlier.length - 1)).toEqual(earlier.slice(0, -1));
      }),
      { numRuns },
    );
  });
});

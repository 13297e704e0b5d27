import { describe, expect, it } from 'vitest';
import { bodyText, parseBody, type StoredMessage } from '../../src/store/stored-message.ts';
import { answer, calls, result, user } from '../agent/prompt/blocks.ts';

const counted = { inputTokens: 3, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };
const broken = { code: 'MODEL_ABORTED', message: 'it ended', retryable: false };

describe('the row of a message', () => {
  it.each<[string, StoredMessage]>([
    ['of the user', user(1, 0)],
    ['that only calls', answer(1, 2, { text: '', usage: counted, toolCalls: calls(2) })],
    [
      'with reasoning',
      answer(1, 2, { reasoning: 'r', usage: { ...counted, cachedInputTokens: 2 }, costUsd: 0 }),
    ],
    ['that refuses', answer(1, 2, { text: '', refusal: 'no' })],
    ['that broke off', answer(1, 2, { usage: null, error: broken })],
    ['that was withdrawn', { ...answer(1, 2, { error: broken }), role: 'withdrawn' } as StoredMessage],
    ['of a tool', result(1, 3, 2)],
    ['of a tool that failed', result(1, 3, 2, { isError: true, code: 'TOOL_FAILED', status: 'failed' })],
  ])('%s reads as it was written', (_, { role, body }) => {
    expect(parseBody({ role, body: bodyText({ role, body } as StoredMessage) })).toEqual(body);
  });

  it('leaves out what most answers and results have', () => {
    const calling = JSON.parse(bodyText(answer(1, 2, { text: '', usage: counted })));
    expect(calling).not.toHaveProperty('text');
    expect(calling).not.toHaveProperty('reasoning');
    expect(calling).not.toHaveProperty('error');
    expect(calling.usage).toEqual({ inputTokens: 3, outputTokens: 1 });
    expect(JSON.parse(bodyText(result(1, 3, 2)))).toEqual({ callId: 2, text: 'result 2', status: 'done' });
  });

  it('reads as before where it has every field, as rows of earlier versions do', () => {
    for (const { role, body } of [answer(1, 2, { usage: counted }), result(1, 3, 2)])
      expect(parseBody({ role, body: JSON.stringify(body) })).toEqual(body);
  });
});

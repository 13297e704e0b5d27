import { describe, expect, it } from 'vitest';
import { taintOf } from '../../src/call/policy.ts';
import type { StoredMessage } from '../../src/store/stored-message.ts';

describe('what taints a conversation', () => {
  const trusting = { isUntrusted: (name: string) => name === 'mail' };
  const result = (callId: number, status: string, code: string | null = null) =>
    ({ run: 1, seq: 3, at: 7, role: 'tool', body: { callId, status, code } }) as never as StoredMessage;
  const answer = (...names: string[]) =>
    ({
      run: 1,
      seq: 2,
      at: 6,
      role: 'assistant',
      body: { toolCalls: names.map((name, i) => ({ callId: i + 1, name, arguments: '{}' })) },
    }) as never as StoredMessage;
  const of = (messages: StoredMessage[], summary: Parameters<typeof taintOf>[0]['summary'] = null) =>
    taintOf({ messages, summary }, trusting).map(({ tool }) => tool);

  it('is the first result of each tool', () => {
    const messages = [answer('mail', 'own', 'mail'), result(1, 'done'), result(2, 'done'), result(3, 'done')];
    expect(taintOf({ messages, summary: null }, trusting)).toEqual([
      { tool: 'mail', run: 1, call: 1, at: 7 },
    ]);
  });

  it.each([
    ['done', null, true],
    ['failed', 'HTTP_ERROR', true],
    ['failed', 'INVALID_ARGUMENTS', true],
    ['failed', 'UNKNOWN_TOOL', false],
    ['rejected', 'REJECTED_BY_USER', false],
    ['skipped', 'SKIPPED', false],
    ['cancelled', 'CANCELLED', false],
    ['uncertain', 'OUTCOME_UNKNOWN', false],
  ])('is a call that is %s (%s): %s', (status, code, expected) => {
    expect(of([answer('mail'), result(1, status, code)])).toEqual(expected ? ['mail'] : []);
  });

  it('is a result whose call is unknown', () => {
    expect(of([result(1, 'done')])).toEqual(['a tool']);
  });

  it('is a summary that does not say of what it is made; a clearing is none', () => {
    expect(of([], { text: 'They spoke.' })).toEqual(['an earlier summary']);
    expect(of([], { text: 'They spoke.', tainted: [] })).toEqual([]);
    expect(of([], { text: '' })).toEqual([]);
  });

  it('is what the run that started this one had', () => {
    const inherited = [{ tool: 'page', run: 9, call: 4, at: 1 }];
    expect(taintOf({ messages: [], summary: null }, trusting, inherited)).toEqual(inherited);
  });
});

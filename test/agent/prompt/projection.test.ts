import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockList, toBlocks } from '../../../src/agent/messages/blocks.ts';
import { type Frame, toPrompt } from '../../../src/agent/prompt/projection.ts';
import { summaryHeading } from '../../../src/protocol/ports/chat-model.ts';
import type { StoredMessage } from '../../../src/store/stored-message.ts';
import { chatRuleViolations } from '../../support/openai-rules.ts';
import { inSizes } from '../../support/size.ts';
import { answer, calls, history, result, user } from './blocks.ts';

const frame: Frame = { system: '', summary: null, provider: 'test/m' };
const next = { role: 'user', text: 'next' } as const;

describe('the order of a conversation', () => {
  it('is that of the model’s calls: what came while an answer was made stands behind it', () => {
    const blocks = toBlocks([user(1, 0), user(1, 2), answer(1, 3, { upTo: 1 })]);
    expect(blocks.map(({ kind, seq }) => [kind, seq])).toEqual([
      ['user', 0],
      ['answer', 3],
      ['user', 2],
    ]);
  });

  it('keeps an answer’s results with it, in call order, whenever they came', () => {
    const messages = [
      user(1, 0),
      answer(1, 1, { toolCalls: calls(2, 3) }),
      user(1, 2),
      result(1, 3, 3),
      result(1, 4, 2),
    ];
    const blocks = toBlocks(messages);
    expect(blocks.map(({ seq, end }) => [seq, end])).toEqual([
      [0, 0],
      [1, 4],
      [2, 2],
    ]);
    expect(blocks[1]).toMatchObject({ results: [{ callId: 2 }, { callId: 3 }] });
  });

  it('goes run by run: what was queued stands where its own run begins', () => {
    const blocks = toBlocks([user(1, 0), answer(1, 3), user(2, 0), answer(2, 1)]);
    expect(blocks.map(({ run }) => run)).toEqual([1, 1, 2, 2]);
  });

  it('leaves out an answer of nothing, or of reasoning alone', () => {
    const blocks = toBlocks([
      user(1, 0),
      answer(1, 1, { text: '' }),
      answer(1, 2, { text: '', reasoning: 'hm' }),
    ]);
    expect(blocks).toHaveLength(1);
  });

  it('keeps the words of an answer that broke off, and not its calls', () => {
    const error = { code: 'X', message: 'x', retryable: false };
    const [, block] = toBlocks([user(1, 0), answer(1, 1, { text: 'half', toolCalls: calls(2), error })]);
    expect(block).toMatchObject({ body: { text: 'half', toolCalls: [] }, results: [] });
  });

  it('is the same when each call adds only the messages since the call before', () => {
    fc.assert(
      fc.property(history, (messages) => {
        const list = new BlockList();
        let added = 0;
        for (let end = 1; end <= messages.length; end++) {
          if (hasOpenCalls(messages.slice(0, end))) continue;
          list.add(messages.slice(added, end));
          added = end;
          expect(list.all()).toEqual(toBlocks(messages.slice(0, end)));
        }
        expect(added).toBe(messages.length);
      }),
      { numRuns: inSizes({ usual: 200, deep: 1_000, full: 10_000 }) },
    );
  });

  it.each([
    ['a call without a result', [user(1, 0), answer(1, 1, { toolCalls: calls(2) })]],
    ['a result without a call', [user(1, 0), result(1, 1, 2)]],
    ['two results for a call', [answer(1, 1, { toolCalls: calls(2) }), result(1, 2, 2), result(1, 3, 2)]],
  ])('refuses a history that the log cannot hold: %s', (_, messages) => {
    expect(() => toBlocks(messages)).toThrow(expect.objectContaining({ code: 'INVALID_HISTORY' }));
  });
});

describe('a prompt', () => {
  it('begins with the system prompt and the summary, if there are any', () => {
    const blocks = toBlocks([user(1, 0)]);
    expect(
      toPrompt(blocks, { ...frame, system: 's', summary: 'once' }).map(({ role, text }) => [role, text]),
    ).toEqual([
      ['system', 's'],
      ['user', `${summaryHeading}\n\nonce`],
      ['user', 'u1.0'],
    ]);
    expect(toPrompt(blocks, frame)).toEqual([{ role: 'user', text: 'u1.0' }]);
  });

  it('says what a model refused in the words of its refusal', () => {
    const [, refusal] = toPrompt(toBlocks([user(1, 0), answer(1, 1, { text: '', refusal: 'no' })]), frame);
    expect(refusal).toMatchObject({ role: 'assistant', text: 'no' });
  });

  it('gives every call an id that is its own, and leaves good ones alone', () => {
    const same = (callId: number, id: string) => ({ callId, id, name: 'look', arguments: '{}' });
    const messages = [
      user(1, 0),
      answer(1, 1, { toolCalls: [same(2, 'call_0'), same(3, ''), same(4, 'call_0')] }),
      ...[2, 3, 4].map((id, i) => result(1, 2 + i, id)),
      user(2, 0),
      answer(2, 1, { toolCalls: [same(2, 'call_0'), same(3, 'own')] }),
      ...[2, 3].map((id, i) => result(2, 2 + i, id)),
    ];
    const ids = toPrompt(toBlocks(messages), frame).flatMap((message) =>
      message.role === 'assistant' ? message.toolCalls.map(({ id }) => id) : [],
    );
    expect(ids).toEqual(['call_0', 'call_1_3', 'call_1_4', 'call_2_2', 'own']);
  });

  it('returns a provider’s private data to that provider alone', () => {
    const blocks = toBlocks([user(1, 0), answer(1, 1, { provider: 'a/m', providerData: { sealed: 1 } })]);
    expect(toPrompt(blocks, { ...frame, provider: 'a/other' })[1]).toHaveProperty('providerData', {
      sealed: 1,
    });
    expect(toPrompt(blocks, { ...frame, provider: 'b/m' })[1]).not.toHaveProperty('providerData');
  });

  it('is valid over all histories that the log can hold', () => {
    fc.assert(
      fc.property(
        history,
        fc.constantFrom('', 'system'),
        fc.constantFrom(null, 'once'),
        (messages, system, summary) => {
          const prompt = toPrompt(toBlocks(messages), { ...frame, system, summary });
          expect(chatRuleViolations([...prompt, next])).toEqual([]);
        },
      ),
      { numRuns: inSizes({ usual: 200, deep: 1_000, full: 10_000 }) },
    );
  });

  it('shows every word that was said, once', () => {
    fc.assert(
      fc.property(history, (messages) => {
        const prompt = toPrompt(toBlocks(messages), frame);
        const said = messages.filter(({ role }) => role === 'user').length;
        expect(prompt.filter(({ role }) => role === 'user')).toHaveLength(said);
        expect(prompt.filter(({ role }) => role === 'tool')).toHaveLength(
          messages.filter(({ role }) => role === 'tool').length,
        );
      }),
    );
  });
});

/** Whether a call of these messages waits for its result: no model is called then. */
function hasOpenCalls(messages: readonly StoredMessage[]): boolean {
  const open = new Set<string>();
  for (const { role, run, body } of messages) {
    if (role === 'assistant' && !body.error)
      for (const { callId } of body.toolCalls) open.add(`${run} ${callId}`);
    if (role === 'tool') open.delete(`${run} ${body.callId}`);
  }
  return open.size > 0;
}

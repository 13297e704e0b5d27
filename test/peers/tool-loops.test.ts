import { isChatCompletionBody } from '@copilotkit/aimock';
import { describe, expect, it } from 'vitest';
import { tool } from '../support/detent.ts';
import { apis, counts, detentAt, inTurn, startPeer } from './peer.ts';

const call = (name: string, args: object) => ({ name, arguments: JSON.stringify(args) });

describe.concurrent.each(apis)('against an independent server, the %s wire', (api) => {
  it('carries a conversation with several rounds of real tools, side by side, through two turns', async () => {
    const peer = await startPeer();
    peer.on(
      { userMessage: '北京' },
      inTurn(
        {
          content: 'Let me see.',
          toolCalls: [
            call('calculator', { expression: '17 * 23' }),
            call('unit_convert', { value: 12, from: 'degC', to: 'degF' }),
          ],
          usage: counts,
        },
        { toolCalls: [call('broken', { place: '北京 🌧' })], usage: counts },
        { content: 'It is 391, and 53.6 °F in 北京.', usage: counts },
      ),
    );
    peer.on({ userMessage: 'Thanks' }, { content: 'You are welcome. 🙂', usage: counts });
    const detent = detentAt(peer, api, {
      tools: { define: [tool('broken', { run: () => Promise.reject(new Error('no such place')) })] },
    });

    const first = await detent.run('17 * 23, and 12 °C in 北京?', { sessionId: 's' }).result;
    expect(first).toMatchObject({ outcome: 'completed', text: 'It is 391, and 53.6 °F in 北京.' });
    expect(first.steps.map(({ toolCalls }) => toolCalls.map(({ name, isError }) => [name, isError]))).toEqual(
      [
        [
          ['calculator', false],
          ['unit_convert', false],
        ],
        [['broken', true]],
        [],
      ],
    );
    expect(first.steps[0]?.toolCalls.map(({ result }) => result)).toEqual([
      '391',
      expect.stringContaining('53.6'),
    ]);
    expect(first.usage).toMatchObject({ inputTokens: 63, outputTokens: 21 });
    const second = await detent.run('Thanks', { sessionId: 's' }).result;
    expect(second).toMatchObject({ outcome: 'completed', text: 'You are welcome. 🙂' });

    const journal = peer.getRequests();
    expect(journal.map(({ response }) => response.status)).toEqual([200, 200, 200, 200]);
    const last = journal.at(-1)?.body;
    if (!isChatCompletionBody(last)) throw new Error('the peer did not understand the last request');
    // What it made of the request, in words of its own, has every call and every result in its place.
    const roles = last.messages.map(({ role }) => role);
    // On one wire an answer is an item for its text and one for each call.
    expect(roles.filter((role, i) => role !== 'assistant' || roles[i - 1] !== role)).toEqual([
      ...['system', 'user', 'assistant', 'tool', 'tool', 'assistant', 'tool', 'assistant', 'user'],
    ]);
    const asked = last.messages.flatMap(({ tool_calls: calls }) => calls ?? []);
    const answered = last.messages.filter(({ role }) => role === 'tool');
    expect(answered.map((message) => message.tool_call_id)).toEqual(asked.map(({ id }) => id));
    expect(asked.map(({ function: { name } }) => name)).toEqual(['calculator', 'unit_convert', 'broken']);
    expect(JSON.stringify(last.messages)).toContain('no such place');
    expect(last.tools?.map((one) => one.function.name)).toContain('calculator');
  });

  it('gives the same whole as streamed', async () => {
    const peer = await startPeer();
    peer.on(
      { userMessage: 'product' },
      inTurn(
        { toolCalls: [call('calculator', { expression: '17 * 23' })], usage: counts },
        { content: 'It is 391.', usage: counts },
      ),
    );
    const detent = detentAt(peer, api);
    const whole = await detent.run('The product?', { stream: false }).result;
    const streamed = await detent.run('The product?').result;
    for (const run of [whole, streamed])
      expect(run).toMatchObject({
        outcome: 'completed',
        text: 'It is 391.',
        usage: { inputTokens: 42, outputTokens: 14 },
      });
    const streams = peer.getRequests().map(({ body }) => (body as { stream?: boolean } | null)?.stream);
    expect(streams).toEqual([false, false, true, true]);
  });
});

import { describe, expect, it } from 'vitest';
import { createMessagesModel } from '../../../src/models/anthropic/messages-model.ts';
import { tool, withModel } from '../../support/detent.ts';
import { requestViolations } from '../../support/wire-rules/anthropic-messages.ts';
import { serve, stream } from '../support/loopback.ts';
import { block, callBlock, messageEnd, messageStart, textBlock } from './support.ts';

const thought = block(
  0,
  { type: 'thinking', thinking: '', signature: '' },
  { type: 'thinking_delta', thinking: 'Two numbers.' },
  { type: 'signature_delta', signature: 'c2ln' },
);

describe('a run over the messages wire', () => {
  it('calls tools side by side, and sends thoughts, calls and results back in one piece', async () => {
    const answers = [
      [
        messageStart(),
        thought,
        callBlock(1, 'toolu_1', 'add', '{"a":1}'),
        callBlock(2, 'toolu_2', 'mul', ''),
        messageEnd('tool_use'),
      ],
      [messageStart({ id: 'msg_2' }), textBlock(0, 'It is ', '3.'), messageEnd()],
      [messageStart({ id: 'msg_3' }), textBlock(0, 'You are welcome.'), messageEnd()],
    ];
    const { baseURL, requests } = await serve((response) =>
      stream(response, answers[requests.length - 1] ?? []),
    );
    const detent = withModel(createMessagesModel({ baseURL, apiKey: null }), {
      tools: {
        define: [
          tool('add', { run: () => '3' }),
          tool('mul', { run: () => Promise.reject(new Error('no')) }),
        ],
      },
    });
    const run = await detent.run('Add them.', { sessionId: 's' }).result;
    expect(run).toMatchObject({ outcome: 'completed', text: 'It is 3.' });
    await detent.run('Thanks!', { sessionId: 's' }).result;

    const bodies = requests.map(({ body }) => JSON.parse(body));
    expect(bodies.flatMap((body) => requestViolations(body))).toEqual([]);
    expect(bodies[2].messages).toMatchObject([
      { role: 'user', content: [{ text: 'Add them.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Two numbers.', signature: 'c2ln' },
          { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 1 } },
          { type: 'tool_use', id: 'toolu_2', name: 'mul', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: '3' },
          { type: 'tool_result', tool_use_id: 'toolu_2', is_error: true },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'It is 3.' }] },
      { role: 'user', content: [{ text: 'Thanks!' }] },
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { scripted, tool } from '../support/detent.ts';

const text = { type: 'text', text: 'two lamps' };
const lamps = { products: [{ id: 'p1', name: 'Lamp', cents: 4_500 }] };

/** A run that calls a tool once which returns this: the tool's result, and what its model was sent after it. */
const result = async (returned: unknown, options = {}) => {
  const { detent, model } = await scripted([{ toolCalls: [{ name: 'search' }] }, { text: 'done' }], {
    tools: { define: [tool('search', { run: () => returned })] },
    ...options,
  });
  const { runId, steps } = await detent.run('lamps').result;
  const events = await detent.runs.timeline(runId);
  const found = events.find(({ event }) => event === 'tool.result');
  const sent = JSON.stringify(model.requests.at(-1)?.messages);
  return {
    payload: found?.payload as { content: string; data?: unknown },
    sent,
    call: steps[0]?.toolCalls[0],
  };
};

describe('data that a tool gives for screens, beside its text', () => {
  it('comes with the result, and stands in no prompt', async () => {
    const { payload, sent, call } = await result({ content: [text], structuredContent: lamps });
    expect(payload).toMatchObject({ content: 'two lamps', data: lamps });
    expect(call).toMatchObject({ status: 'done', result: 'two lamps' });
    expect(sent).toContain('two lamps');
    expect(sent).not.toContain('4500');
  });

  it('is what the model reads where there is nothing else', async () => {
    const { payload, sent } = await result({ content: [], structuredContent: lamps });
    expect(payload).not.toHaveProperty('data');
    expect(sent).toContain('4500');
  });

  it('has known secrets taken out', async () => {
    const env = { SHOP_API_KEY: 'sk-0123456789abcdef0123' };
    const structuredContent = { key: env.SHOP_API_KEY };
    const { payload } = await result({ content: [text], structuredContent }, { env });
    expect(payload.data).toEqual({ key: expect.stringMatching(/^\[redacted/) });
  });

  it.each<[string, unknown, RegExp]>([
    ['larger than 64 KB', { text: 'x'.repeat(70_000) }, /left out: 70011 bytes, and at most 65536 fit/],
    ['no object', [1], /left out: it is not a JSON object/],
    ['no JSON', { big: 1n }, /left out: it is no JSON/],
  ])('is left out, and does not fail the call, when it is %s', async (_, structuredContent, why) => {
    const { payload } = await result({ content: [text], structuredContent });
    expect(payload).toMatchObject({ isError: false, content: expect.stringMatching(why) });
    expect(payload).not.toHaveProperty('data');
  });
});

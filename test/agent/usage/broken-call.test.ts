import { describe, expect, it } from 'vitest';
import { withCharge } from '../../../src/agent/usage/broken-call.ts';
import { modelError } from '../../../src/models/wire/model-error.ts';
import { type ModelAnswer, noTokens, unanswered } from '../../../src/protocol/content.ts';

const failed = unanswered('m', modelError('network', 'cut off'));
const words = 'Four words came here.';
const broken = (over: Partial<ModelAnswer> = {}): ModelAnswer => ({ ...failed, text: words, ...over });
const promptTokens = 1_000;

describe('the tokens of an answer that broke off', () => {
  it('are estimated when the provider reported none: the prompt, and the words that came', () => {
    const { usage } = withCharge(broken(), promptTokens);
    expect(usage).toMatchObject({ inputTokens: 1_000, estimated: true });
    expect(usage?.outputTokens).toBeGreaterThan(2);
    expect(usage?.outputTokens).toBeLessThan(10);
  });

  it('count reasoning and what came of tool calls', () => {
    const calls = [{ id: '', name: 'pay', arguments: '{"to":"somebody","usd":' }];
    const [some, more] = [broken(), broken({ reasoning: words, toolCalls: calls })].map(
      (answer) => withCharge(answer, promptTokens).usage?.outputTokens ?? 0,
    );
    expect(more).toBeGreaterThan(2 * (some ?? 0));
  });

  it('are those that the provider reported, as far as it did', () => {
    const reported = { ...noTokens, inputTokens: 30, outputTokens: 2 };
    const whole = broken({ usage: reported });
    expect(withCharge(whole, promptTokens)).toBe(whole);
    const half = withCharge(broken({ usage: { ...reported, outputTokens: 0 } }), promptTokens);
    expect(half.usage).toMatchObject({ inputTokens: 30, estimated: true });
  });

  it('are those of the prompt when the answer had begun without words', () => {
    const { usage } = withCharge({ ...failed, began: true }, promptTokens);
    expect(usage).toEqual({ ...noTokens, inputTokens: 1_000, estimated: true });
  });

  it('are none when no answer had begun, and stay as they are when nothing failed', () => {
    expect(withCharge(failed, promptTokens).usage).toBeNull();
    expect(withCharge(broken({ error: null }), promptTokens).usage).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { createDetent } from '../../../src/runtime/create-detent.ts';
import { temporaryWorkspace, tool, withModel } from '../../support/detent.ts';
import { chatRuleViolations } from '../../support/openai-rules.ts';
import { isPrompt, talkative } from '../compaction/support.ts';

/** Known to have a window of 8,192 tokens, of which 2,048 are kept for the answer. */
const small = 'test/moonshot-v1-8k';
const found = `FOUND ${'a line of the file\n'.repeat(250)}`;

/** A model that looks `looks` times before it answers, and whose tool brings about 1,250 tokens each time. */
function looking(looks: number) {
  const look = tool('look', { run: () => found });
  const model = talkative({
    answer: (n) => (n <= looks ? { toolCalls: [{ name: 'look', arguments: { n } }] } : { text: `done ${n}` }),
  });
  return { model, tools: { define: [look], allowed: ['look'] } };
}

const resultsOf = (request: { messages: readonly { role: string; text: string }[] } | undefined) =>
  request?.messages.filter(({ role }) => role === 'tool').map(({ text }) => text === found) ?? [];

describe('a run whose tools bring much', () => {
  it('has its old results shortened before anything is summarised, and tells of it', async () => {
    const { model, tools } = looking(4);
    const detent = withModel(model, { workspace: await temporaryWorkspace(), tools });
    const view = await detent.run('find it', { sessionId: 's', model: small }).result;
    expect(view.outcome).toBe('completed');
    expect(model.requests.every(isPrompt)).toBe(true);
    const events = (await detent.runs.events(view.runId)).map(({ event }) => event);
    const pruned = events.filter(({ type }) => type === 'context.pruned');
    expect(pruned.length).toBeGreaterThan(0);
    for (const fact of pruned) {
      expect(fact).toMatchObject({ effectId: expect.any(Number), results: expect.any(Number) });
      expect(fact.tokens).toBeGreaterThan(6_144 * 0.6);
      expect(fact.saved).toBeGreaterThan(6_144 * 0.1);
    }
    expect(resultsOf(model.requests[2])).toEqual([true, true]);
    expect(resultsOf(model.requests[4]).slice(0, 2)).toEqual([false, false]);
    expect(resultsOf(model.requests[4]).at(-1)).toBe(true);
    for (const { messages } of model.requests) expect(chatRuleViolations(messages)).toEqual([]);
    // What is shown to people, and kept, is whole.
    expect(view.steps.flatMap(({ toolCalls }) => toolCalls).every(({ result }) => result === found)).toBe(
      true,
    );
  });

  it('looks the same to another process: its pointer is in the session’s row', async () => {
    const { model, tools } = looking(4);
    const workspace = await temporaryWorkspace();
    const options = { workspace, tools, models: { test: model }, env: {}, model: small };
    const one = createDetent(options);
    await one.run('find it', { sessionId: 's' }).result;
    await one.close();
    const before = model.requests.at(-1)?.messages ?? [];
    const other = createDetent(options);
    await other.run('and now?', { sessionId: 's' }).result;
    await other.close();
    const after = model.requests.at(-1)?.messages ?? [];
    expect(after.slice(0, before.length)).toEqual(before);
    expect(resultsOf({ messages: after })).toContain(false);
  });

  it('is asked as it stands when the configuration prunes later', async () => {
    const { model, tools } = looking(3);
    const context = { pruneAt: 0.9, compactAt: 0.95 };
    const detent = withModel(model, { workspace: await temporaryWorkspace(), tools, context });
    await detent.run('find it', { sessionId: 's', model: small }).result;
    expect(resultsOf(model.requests.at(-1))).toEqual([true, true, true]);
  });

  it('protects as many of the newest results as the configuration, or the agent, says', async () => {
    const { model, tools } = looking(4);
    const agents = { careful: { context: { protectTokens: 2_700 } } };
    const context = { protectTokens: 100 };
    const detent = withModel(model, { workspace: await temporaryWorkspace(), tools, context, agents });
    await detent.run('find it', { sessionId: 's', model: small, agent: 'careful' }).result;
    expect(resultsOf(model.requests[4])).toEqual([false, false, true, true]);
  });
});

describe('a configuration of the context', () => {
  it.each([
    [{ pruneAt: 0.9, compactAt: 0.5 }, /context: pruneAt must not be greater than compactAt/],
    [{ compactAt: 1.2 }, /context.compactAt/],
    [{ keepShare: 0.9 }, /context.keepShare/],
    [{ protectTokens: -1 }, /context.protectTokens/],
    [{ other: 1 }, /context.other: there is no such field/],
  ])('is refused when it makes no sense: %j', async (context, message) => {
    const detent = createDetent({ store: 'in-process', env: {}, context: context as object });
    await expect(detent.tools.list()).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringMatching(message),
    });
  });
});

import { describe, expect, it } from 'vitest';
import { createDetent } from '../../../src/index.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { gate, scripted, temporaryWorkspace, tool } from '../../support/detent.ts';

const usage = (inputTokens: number, outputTokens: number) => ({
  inputTokens,
  outputTokens,
  cachedInputTokens: 0,
  reasoningTokens: 0,
});

describe('contextUse', () => {
  it('has the count of the newest answer, and where pruning and compaction begin for that model', async () => {
    const { detent } = await scripted(
      [
        { toolCalls: [{ name: 'look' }], usage: usage(900, 100) },
        { text: 'done', usage: usage(3_000, 968) },
      ],
      { tools: { define: [tool('look')] }, context: { pruneAt: 0.5, compactAt: 0.9 } },
    );
    const { runId } = await detent.run('go').result;
    const use = await detent.runs.contextUse(runId);
    expect(use).toMatchObject({ model: 'test/script', tokens: 3_968 });
    const { window = 0, pruneAt = 0, compactAt = 0 } = use ?? {};
    expect(pruneAt / compactAt).toBeCloseTo(0.5 / 0.9, 3);
    expect(compactAt).toBeLessThan(window * 0.9);
    expect(compactAt).toBeGreaterThan(window / 3);
  });

  it('is not known before the first answer, and for a model that the configuration has no more', async () => {
    const thinking = gate();
    const { detent } = await scripted([
      async () => {
        await thinking.pass();
        return { text: 'done' };
      },
    ]);
    const run = detent.run('go');
    await thinking.reached;
    expect(await detent.runs.contextUse(run.runId)).toBeNull();
    thinking.open();
    await run.result;
    expect(await detent.runs.contextUse(run.runId)).not.toBeNull();

    const workspace = await temporaryWorkspace();
    const open = (name: string) =>
      createDetent({
        workspace,
        env: {},
        model: `${name}/script`,
        models: { [name]: scriptedModel([{ text: 'done', usage: usage(10, 1) }]) },
      });
    await using first = { detent: open('old'), [Symbol.asyncDispose]: () => first.detent.close() };
    const { runId } = await first.detent.run('go').result;
    expect(await first.detent.runs.contextUse(runId)).toMatchObject({ model: 'old/script', tokens: 11 });
    await using second = { detent: open('new'), [Symbol.asyncDispose]: () => second.detent.close() };
    expect(await second.detent.runs.contextUse(runId)).toBeNull();
  });

  it('belongs to the tenant of the run', async () => {
    const { detent } = await scripted([{ text: 'done' }]);
    const { runId } = await detent.run('go').result;
    await expect(detent.runs.contextUse(runId, 2)).rejects.toMatchObject({ code: expect.any(String) });
    await expect(detent.runs.contextUse('run_none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

import { expect } from 'vitest';
import { type RunRequest, ToolFailure } from '../../src/index.ts';
import { fakeClock, type ScriptedAnswer, type ScriptLine, scriptedModel } from '../../src/testing/index.ts';
import { gate, scripted, tool, withModel } from '../support/detent.ts';
import { calls, given, waitingToPay, when } from './support.ts';

// A limit is looked at before the next call of a model. An answer that used it up is still an answer.

const tools = {
  define: [
    tool('look'),
    tool('fail', {
      run: () => {
        throw new ToolFailure('NO_PAPER', 'out of paper');
      },
    }),
  ],
};
/** Each call of this model takes 100 tokens, which cost a dollar. */
const usage = { inputTokens: 60, outputTokens: 40 };
const price = { inputUsd: 10_000, outputUsd: 10_000 };
const looks = (n: number): ScriptedAnswer => ({ ...calls(['look', { n }]), usage });
const fails = (n: number): ScriptedAnswer => ({ ...calls(['fail', { n }]), usage });
const says: ScriptedAnswer = { text: 'done', usage };

type Limits = NonNullable<RunRequest['limits']>;

/** What its model does, its limits, the answers, how many of them are asked for, and the error that ends it. */
const runs: [what: string, Limits, ScriptLine[], asked: number, code: string | null][] = [
  ['wants a third step of two', { maxSteps: 2 }, [looks(1), looks(2), says], 2, 'MAX_STEPS'],
  ['answers with its last step', { maxSteps: 2 }, [looks(1), says], 2, null],
  ['wants to go on after 200 tokens', { maxTokens: 150 }, [looks(1), looks(2), says], 2, 'BUDGET_EXHAUSTED'],
  ['goes over its tokens with its answer', { maxTokens: 150 }, [looks(1), says], 2, null],
  ['wants to go on after 2 dollars', { maxCostUsd: 1.5 }, [looks(1), looks(2), says], 2, 'BUDGET_EXHAUSTED'],
  ['repeats a failing call', { maxRepeats: 2 }, [fails(1), looks(1), fails(1), says], 3, 'SAME_CALL_FAILED'],
  ['fails step by step', { maxErrors: 2 }, [fails(1), fails(2), says], 2, 'CONSECUTIVE_ERRORS'],
  ['fails, and finds another way', { maxErrors: 2 }, [fails(1), looks(1), fails(2), says], 4, null],
];

given('a run with limits', () => {
  for (const [what, limits, script, asked, code] of runs)
    when(
      `its model ${what}, with ${JSON.stringify(limits)}`,
      code ? `it fails: ${code}` : 'it is done',
      async () => {
        const model = scriptedModel(script);
        const detent = withModel(Object.assign(model, { price }), { tools });
        const view = await detent.run('go', { limits }).result;
        expect([view.status, view.error?.code ?? null]).toEqual([code ? 'failed' : 'done', code]);
        expect(model.requests).toHaveLength(asked);
      },
    );
});

given('a run that may work for a minute', () => {
  const limits = { timeoutMs: 60_000 };

  when('it works longer', 'it fails at that time', async () => {
    const clock = fakeClock();
    const { pass, reached } = gate();
    const { detent } = await scripted([(_, { signal }) => pass(signal).then(() => ({ text: 'late' }))], {
      clock,
    });
    const run = detent.run('go', { limits });
    await reached;
    await clock.advance(60_000);
    expect(await run.result).toMatchObject({ status: 'failed', outcome: 'deadline' });
  });

  when('a person takes days to decide', 'that time does not count', async () => {
    const clock = fakeClock();
    const { run } = await waitingToPay([{ text: 'done' }], { clock, limits });
    await clock.advance(3 * 86_400_000);
    await run.confirm('c2', { verdict: 'approve' });
    expect(await run.result).toMatchObject({ status: 'done' });
  });
});

given('a limit in money', () => {
  when('the model has no price', 'the run is refused before it begins, and the field is named', async () => {
    const { detent } = await scripted([says]);
    const refused = detent.run('go', { limits: { maxCostUsd: 1 } }).started;
    await expect(refused).rejects.toMatchObject({ code: 'PRICE_MISSING' });
    await expect(refused).rejects.toThrow('models.test.price');
  });
});

given('limits of the configuration, of the agent and of the request', () => {
  when('all say something', 'the request goes first, then the agent', async () => {
    const script = Array.from({ length: 9 }, (_, n) => looks(n));
    const steps = async (limits: RunRequest['limits'], agent?: string) => {
      const { detent, model } = await scripted(script, {
        tools,
        limits: { maxSteps: 3 },
        agents: { quick: { limits: { maxSteps: 2 } } },
      });
      await detent.run('go', { ...(agent && { agent }), ...(limits && { limits }) }).result;
      return model.requests.length;
    };
    expect([
      await steps(undefined),
      await steps(undefined, 'quick'),
      await steps({ maxSteps: 1 }, 'quick'),
    ]).toEqual([3, 2, 1]);
  });
});

given('a budget that runs share', () => {
  const budgets = { team: { maxTokens: 250, per: 'day' as const } };

  when('it is used up', 'the next call of any run is refused, until the next day', async () => {
    const clock = fakeClock();
    const { detent, model } = await scripted(
      Array.from({ length: 5 }, () => says),
      { clock, budgets },
    );
    const spend = async () => (await detent.run('go', { budget: 'team' }).result).error?.code ?? 'ok';
    expect([await spend(), await spend(), await spend(), await spend()]).toEqual([
      'ok',
      'ok',
      'ok',
      'BUDGET_EXHAUSTED',
    ]);
    expect(model.requests).toHaveLength(3);
    expect((await detent.budgets.list())[0]).toMatchObject({ tokens: { spent: 300, left: 0 } });
    await clock.advance(86_400_000);
    expect(await spend()).toBe('ok');
  });

  when('a run names none', 'it pays for itself', async () => {
    const { detent } = await scripted([says], { budgets });
    await detent.run('go').result;
    expect((await detent.budgets.list())[0]).toMatchObject({ tokens: { spent: 0 } });
  });

  when('a run names one that there is not', 'it is refused', async () => {
    const { detent } = await scripted([], { budgets });
    await expect(detent.run('go', { budget: 'tem' }).started).rejects.toMatchObject({
      code: 'UNKNOWN_BUDGET',
    });
  });
});

given('a run that starts a task', () => {
  const parent = { toolCalls: [{ name: 'task', arguments: { prompt: 'look' } }], usage };

  when('the task spends', 'its run pays for it, and ends when both have used up the limit', async () => {
    const { detent } = await scripted([parent, { text: 'found', usage }, says]);
    const view = await detent.run('go', { limits: { maxTokens: 200 } }).result;
    expect(view).toMatchObject({ outcome: 'budget_exhausted' });
  });

  when('little is left', 'the task gets no more than that', async () => {
    const { detent } = await scripted([parent, looks(1), looks(2), says, says], { tools });
    const view = await detent.run('go', { limits: { maxTokens: 250 } }).result;
    expect(view.steps[0]?.toolCalls[0]?.subRun).toMatchObject({ outcome: 'budget_exhausted' });
  });
});

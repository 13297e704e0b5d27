import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunContext } from '../../../machines/run.types.ts';
import { addUsage, noTokens, type Usage } from '../../../src/protocol/content.ts';
import { readRunEvents } from '../../../src/runs/events/read-run-events.ts';
import { listBudgets, usageReport } from '../../../src/runtime/api/usage-report.ts';
import type { Core } from '../../../src/runtime/config/core.ts';
import type { RunRequest } from '../../../src/runtime/config/request.ts';
import { startRequest } from '../../../src/runtime/requests/run-request.ts';
import { type ScriptedAnswer, type ScriptLine, scriptedModel } from '../../../src/testing/index.ts';
import { put } from '../../store/rows.ts';
import { coreWith, gate, tool } from '../../support/detent.ts';
import { inSizes } from '../../support/size.ts';
import { talkative, words } from '../compaction/support.ts';

const price = { inputUsd: 1_000, outputUsd: 10_000 };
const look = { toolCalls: [{ name: 'look' }] };

async function started(core: Core, runId: string, request: RunRequest = {}, prompt = 'go') {
  await core.runs.start(startRequest(prompt, request, { model: 'test/script', env: {} }, runId));
  return core.runs.settled(request.principal?.tenantId ?? 1, runId);
}

const ledgerOf = (core: Core, runId: string, tenant = 1) =>
  core.store.query('listUsageOf', { tenant, runId });

async function coreThat(script: readonly ScriptLine[], limits: RunRequest['limits'] = {}) {
  const model = Object.assign(scriptedModel(script), { price });
  return { model, core: await coreWith(model, { tools: { define: [tool('look')] }, limits }) };
}

describe('the ledger', () => {
  it('has every call of a model with what it cost', async () => {
    const { core } = await coreThat([
      { ...look, usage: { inputTokens: 100, outputTokens: 10, cachedInputTokens: 40, reasoningTokens: 7 } },
      { text: 'done', usage: { inputTokens: 200, outputTokens: 20 } },
    ]);
    await started(core, 'run_1', { sessionId: 'talk' });
    const rows = await ledgerOf(core, 'run_1');
    expect(rows).toMatchObject([
      {
        sessionKey: 'talk',
        n: 1,
        i: 0,
        purpose: 'think',
        asked: 'test/script',
        answered: 'script',
        inputTokens: 100,
        outputTokens: 10,
        cachedInputTokens: 40,
        cacheWriteTokens: 0,
        reasoningTokens: 7,
        costUsd: 0.2,
        cached: 0,
        error: null,
      },
      { inputTokens: 200, outputTokens: 20, costUsd: 0.4 },
    ]);
    expect(rows[0]?.day).toBe(new Date(rows[0]?.at ?? 0).toISOString().slice(0, 10));
  });

  it('has the calls that failed, each attempt of its own, with what their provider counted', async () => {
    const overloaded = {
      kind: 'overloaded',
      code: 'MODEL_OVERLOADED',
      retryable: true,
      retryAfterMs: 1,
    } as const;
    const { core } = await coreThat([
      { error: overloaded, usage: { inputTokens: 30, outputTokens: 0 } },
      {
        text: 'half a',
        error: { ...overloaded, retryable: false },
        usage: { inputTokens: 30, outputTokens: 2 },
      },
    ]);
    const view = await started(core, 'run_1', { sessionId: 's' });
    expect(view.outcome).toBe('provider_error');
    await expectSums(core, 's');
    expect(await ledgerOf(core, 'run_1')).toMatchObject([
      { n: 1, error: 'MODEL_OVERLOADED', inputTokens: 30, costUsd: 0.03 },
      { n: 2, error: 'MODEL_OVERLOADED', inputTokens: 30, outputTokens: 2, costUsd: 0.05 },
    ]);
  });

  it('has a call that was cut off, with no price: what its provider charges is not known', async () => {
    const stop = gate();
    const { core } = await coreThat([
      async (_, { onDelta, signal }) => {
        onDelta({ type: 'text', text: 'half' });
        await stop.pass(signal);
        return { text: 'half' };
      },
    ]);
    const run = started(core, 'run_1');
    await stop.reached;
    await core.runs.cancel(1, 'run_1', 'enough');
    await run;
    expect(await ledgerOf(core, 'run_1')).toMatchObject([
      { error: 'MODEL_ABORTED', inputTokens: 0, outputTokens: 0, costUsd: null, asked: 'test/script' },
    ]);
  });

  it('has the calls that care for a conversation, and a shared budget pays for them', async () => {
    const model = Object.assign(talkative(), { price });
    const budgets = { team: {} };
    const core = await coreWith(model, { budgets });
    const { workspace } = core;
    for (let n = 0; n < 8; n++) {
      const config = { model: 'test/moonshot-v1-8k', env: {}, budgets, workspace };
      const request = { sessionId: 's', budget: 'team' };
      await core.runs.start(startRequest(words(2_000, n), request, config, `run_${n}`));
      await core.runs.settled(1, `run_${n}`);
    }
    const { groups, total } = await usageReport(core.store, { by: 'purpose', sessionId: 's' });
    expect(new Set(groups.map(({ key }) => key))).toEqual(new Set(['think', 'flush', 'compact']));
    expect(total.calls).toBe(model.requests.length);
    await expectSums(core, 's');
    const [team] = await listBudgets(core.store, { budgets }, 1, Date.now());
    expect(team).toMatchObject({ tokens: { spent: total.inputTokens + total.outputTokens, held: 0 } });
    expect(team?.costUsd.spent).toBeCloseTo(total.costUsd ?? 0, 6);
  });

  it('has an answer that was kept, at no cost and without tokens', async () => {
    const model = Object.assign(scriptedModel([{ text: 'four' }]), { price });
    const core = await coreWith(model, { router: { cache: { ttlMs: 60_000 } } });
    for (const runId of ['run_1', 'run_2']) expect((await started(core, runId)).text).toBe('four');
    expect(await ledgerOf(core, 'run_2')).toMatchObject([
      { cached: 1, costUsd: 0, inputTokens: 0, outputTokens: 0, answered: 'script' },
    ]);
    expect((await usageReport(core.store, {})).total).toMatchObject({ calls: 2, cached: 1, inputTokens: 10 });
  });

  it('has nothing of a call that was never made', async () => {
    const { core } = await coreThat([]);
    await core.runs.start(startRequest('go', {}, { model: 'other/m', env: {} }, 'run_1'));
    expect((await core.runs.settled(1, 'run_1')).error?.code).toBe('UNKNOWN_MODEL');
    expect(await ledgerOf(core, 'run_1')).toEqual([]);
  });

  it('outlives the session, whose name it forgets', async () => {
    const { core } = await coreThat([{ text: 'done' }]);
    await started(core, 'run_1', { sessionId: 'talk' });
    await (await core.sessions()).delete(1, 'talk', false);
    expect(await ledgerOf(core, 'run_1')).toMatchObject([{ sessionKey: '', inputTokens: 10 }]);
    expect((await usageReport(core.store, { sessionId: 'talk' })).total).toMatchObject({ calls: 0 });
    expect((await usageReport(core.store, {})).total).toMatchObject({ calls: 1, inputTokens: 10 });
  });

  it('is of one tenant', async () => {
    const { core } = await coreThat([{ text: 'ours' }, { text: 'theirs', usage: { inputTokens: 77 } }]);
    await put(core.store, 'insertTenant', { name: 'other', workspace: null });
    await started(core, 'run_1', { sessionId: 's' });
    await started(core, 'run_2', { sessionId: 's', principal: { tenantId: 2 } });
    const total = async (tenantId: number) => (await usageReport(core.store, { tenantId })).total;
    expect(await total(1)).toMatchObject({ calls: 1, inputTokens: 10 });
    expect(await total(2)).toMatchObject({ calls: 1, inputTokens: 77 });
    expect(await total(3)).toMatchObject({ calls: 0 });
    expect(await usageReport(core.store, { runId: 'run_2' })).toMatchObject({
      groups: [],
      total: { calls: 0 },
    });
  });

  it('refuses to be grouped by what it does not know', async () => {
    const { core } = await coreThat([]);
    await expect(usageReport(core.store, { by: 'moon' as never })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining('day, model, session, user, run, purpose'),
    });
  });
});

type Figures = Pick<Usage, 'inputTokens' | 'outputTokens' | 'costUsd'>;

function sumOf(shown: readonly Figures[]) {
  const none: Usage = { ...noTokens, costUsd: null };
  const sum = shown.reduce<Usage>((all, one) => addUsage(all, { ...noTokens, ...one }), none);
  const { inputTokens, outputTokens, costUsd } = sum;
  return { inputTokens, outputTokens, costUsd: Math.round((costUsd ?? 0) * 1e6) / 1e6 };
}

/** What is shown of a session anywhere: of all its runs together, and of each alone. */
async function expectSums(core: Core, sessionId: string) {
  const [history, sessions] = [await core.history(), await core.sessions()];
  const ledger = await usageReport(core.store, { by: 'run', sessionId, limit: 100 });
  const session = await sessions.show(1, sessionId);
  expect(sumOf([session.usage])).toEqual(sumOf([ledger.total]));
  const lines = (await Array.fromAsync(sessions.export(1, sessionId))).map((line) => JSON.parse(line));
  const ends = lines.flatMap((line) => (line.type === 'result' ? line.usage : []));
  for (const [i, { runId }] of session.history.entries()) {
    const used = sumOf(ledger.groups.filter(({ key }) => key === runId));
    const { usage } = await core.runs.view(1, runId);
    const events = await Array.fromAsync(readRunEvents(core.store, 1, runId, 0));
    const told = events.flatMap((one) => (one.event === 'usage' ? one.payload : []));
    const { transitions } = await history.trace(1, runId, { afterSeq: 0, limit: 1_000 });
    const { input_tokens: inputTokens, output_tokens: outputTokens, cost_usd: costUsd = null } = ends[i];
    expect({
      view: sumOf([usage]),
      events: sumOf(told.map(({ call }) => call)),
      total: sumOf(told.slice(-1).map(({ total }) => total)),
      trace: sumOf(transitions.flatMap(({ usage: one }) => one ?? [])),
      result: sumOf([{ inputTokens, outputTokens, costUsd }]),
    }).toEqual({ view: used, events: used, total: used, trace: used, result: used });
  }
}

const usage = fc.record({
  inputTokens: fc.integer({ min: 1, max: 5_000 }),
  outputTokens: fc.integer({ min: 0, max: 500 }),
});
const said: fc.Arbitrary<ScriptedAnswer> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ usage, toolCalls: fc.constant<{ name: string }[]>(look.toolCalls) }) },
  { weight: 2, arbitrary: fc.record({ usage, text: fc.constant<string>('done') }) },
  { weight: 1, arbitrary: fc.record({ usage, text: fc.constant<string>('') }) },
  {
    weight: 1,
    arbitrary: fc.record({
      usage,
      text: fc.constantFrom('', 'half'),
      error: fc.record({
        kind: fc.constantFrom('overloaded', 'bad_request'),
        code: fc.constant('MODEL_FAILED'),
        retryable: fc.boolean(),
        retryAfterMs: fc.constant(1),
      }),
    }),
  },
);

describe('the ledger of any runs', () => {
  it('adds up to what the runs count themselves, and to what is shown of them anywhere', async () => {
    const life = fc.array(fc.array(said, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(life, async (scripts) => {
        const lines = scripts.flat();
        const { core } = await coreThat(lines, { maxSteps: 8 });
        const totals = { tokens: 0, costUsd: 0 };
        for (const i of scripts.keys()) {
          const runId = `run_${i}`;
          await started(core, runId, { sessionId: `s${i}` });
          const context = JSON.parse((await core.runs.row(1, runId)).context) as RunContext;
          const { total } = await usageReport(core.store, { runId });
          expect(total.inputTokens).toBe(context.tokensIn);
          expect(total.outputTokens).toBe(context.tokensOut);
          expect(total.costUsd ?? 0).toBeCloseTo(context.costUsd, 6);
          await expectSums(core, `s${i}`);
          totals.tokens += total.inputTokens + total.outputTokens;
          totals.costUsd += total.costUsd ?? 0;
        }
        for (const by of ['day', 'model', 'session', 'run', 'purpose'] as const) {
          const { groups, total } = await usageReport(core.store, { by });
          const tokens = groups.reduce((sum, one) => sum + one.inputTokens + one.outputTokens, 0);
          expect(tokens).toBe(totals.tokens);
          expect(total.inputTokens + total.outputTokens).toBe(totals.tokens);
          expect(total.costUsd ?? 0).toBeCloseTo(totals.costUsd, 6);
        }
      }),
      { numRuns: inSizes({ usual: 8, deep: 25, full: 500 }) },
    );
  });
});

describe('a shared budget of the configuration', () => {
  it('is what "runs why" names when it ended a run, with what to do', async () => {
    const budgets = { team: { maxTokens: 10 } };
    const model = scriptedModel([{ text: 'one' }]);
    const core = await coreWith(model, { budgets });
    const config = { model: 'test/script', env: {}, budgets };
    for (const runId of ['run_1', 'run_2']) {
      await core.runs.start(startRequest('go', { budget: 'team' }, config, runId));
      await core.runs.settled(1, runId);
    }
    const why = await (await core.history()).why(1, 'run_2');
    expect(why).toMatchObject({
      cause: 'shared_budget',
      summary: expect.stringContaining('budget "team" is used up: 15 of 10 tokens'),
    });
    expect(why.next.map(({ command }) => command)).toEqual([
      'detent usage',
      expect.stringContaining('--budget team'),
    ]);
    model.assertComplete();
  });

  it('is listed before anybody uses it, and with what runs have spent of it', async () => {
    const budgets = { team: { maxTokens: 100, per: 'day' }, free: {} } as const;
    const model = scriptedModel([{ text: 'one' }]);
    const core = await coreWith(model, { budgets });
    const now = Date.UTC(2026, 0, 31);
    const views = await listBudgets(core.store, { budgets }, 1, now);
    expect(views).toEqual([
      {
        name: 'free',
        per: null,
        period: null,
        tokens: { limit: null, spent: 0, held: 0, left: null },
        costUsd: { limit: null, spent: 0, held: 0, left: null },
        holds: 0,
      },
      {
        name: 'team',
        per: 'day',
        period: '2026-01-31',
        tokens: { limit: 100, spent: 0, held: 0, left: 100 },
        costUsd: { limit: null, spent: 0, held: 0, left: null },
        holds: 0,
      },
    ]);
  });
});

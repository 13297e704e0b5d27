import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DetentOptions } from '../../../src/index.ts';
import { createDetent } from '../../../src/runtime/create-detent.ts';
import { itDeep } from '../../support/deep.ts';
import { temporaryWorkspace } from '../../support/detent.ts';
import { type MockSlot, startMockProvider } from '../../support/mock-provider.ts';
import { programFile } from '../../support/program.ts';

const runs = 50;
const cap = 100;

/** Every run looks at the clock three times, then answers; each call reports these tokens, in turn. */
async function providerThatCounts(tokens: readonly number[]) {
  let next = 0;
  const step = (): MockSlot => {
    const total = tokens[next++ % tokens.length] ?? 0;
    const usage = { prompt_tokens: total - cap, completion_tokens: cap };
    return { calls: [{ name: 'datetime' }], usage, delayMs: 1 + (next % 7) };
  };
  const turns = Array.from({ length: runs }, (_, run) => ({
    when: `job ${run}.`,
    answers: [
      step(),
      step(),
      step(),
      { text: 'done', usage: { prompt_tokens: 300, completion_tokens: cap } },
    ],
  }));
  const provider = await startMockProvider({ turns });
  onTestFinished(() => provider.close());
  return provider;
}

/** Another process that makes its share of the runs. */
async function spend(options: DetentOptions, from: number, to: number): Promise<void> {
  const script = programFile('test/agent/usage/children/spender');
  const args = [script, JSON.stringify(options), String(from), String(to)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  expect(await once(child, 'exit')).toEqual([0, null]);
}

/**
 * Runs 50 runs side by side that share a budget, here and in so many other processes. Returns the views of those here, and
 * what each call cost, in order of commits.
 */
async function crowd(maxTokens: number, tokens: readonly number[], others = 0) {
  const { baseUrl } = await providerThatCounts(tokens);
  const workspace = await temporaryWorkspace();
  const options: DetentOptions = {
    workspace,
    env: {},
    model: 'mock/m',
    models: { mock: { baseUrl, models: { '*': { contextWindow: 8_000, maxOutputTokens: cap } } } },
    budgets: { team: { maxTokens } },
    limits: { maxRetries: 0 },
  };
  const detent = createDetent(options);
  onTestFinished(() => detent.close());
  const share = Math.ceil(runs / (1 + others));
  const ended = Array.from({ length: others }, (_, i) =>
    spend(options, share * (i + 1), Math.min(runs, share * (i + 2))),
  );
  const views = await Promise.all(
    Array.from({ length: share }, (_, i) => detent.run(`job ${i}.`, { budget: 'team' }).result),
  );
  await Promise.all(ended);
  const [budget] = await detent.budgets.list();
  const db = new Sqlite(join(workspace, '.detent', 'detent.db'), { readonly: true });
  const calls = db
    .prepare('select run_id as runId, input_tokens + output_tokens as tokens from usage order by at')
    .all() as { runId: string; tokens: number }[];
  db.close();
  return { views, calls, budget };
}

/** Tokens beyond the limit in all, and how many calls of one run ended after it was reached, at most. */
function overspent(calls: readonly { runId: string; tokens: number }[], limit: number) {
  const late = new Map<string, number>();
  let spent = 0;
  for (const { runId, tokens } of calls) {
    if (spent >= limit) late.set(runId, (late.get(runId) ?? 0) + 1);
    spent += tokens;
  }
  return {
    spent,
    tokens: Math.max(0, spent - limit),
    perRun: Math.max(0, ...late.values()),
    late: late.size,
  };
}

describe('fifty runs that share a budget', () => {
  it('overdraw it by one call at most, together, while calls cost no more than they reserved', async () => {
    const limit = 20_000;
    const { views, calls, budget } = await crowd(limit, [300, 420, 360]);
    const over = overspent(calls, limit);
    console.log(
      `reserved in full: limit ${limit}, spent ${over.spent}, over by ${over.tokens} tokens, ${over.late} late calls`,
    );
    expect(over.tokens).toBeLessThanOrEqual(420);
    expect(over.perRun).toBeLessThanOrEqual(1);
    expect(over.spent).toBeGreaterThanOrEqual(limit);
    expect(budget).toMatchObject({ tokens: { limit, spent: over.spent, held: 0, left: 0 }, holds: 0 });
    const codes = new Set(views.map(({ error }) => error?.code ?? 'none'));
    expect(codes).toContain('BUDGET_EXHAUSTED');
    for (const { status, outcome, error } of views)
      if (status !== 'done')
        expect({ outcome, code: error?.code }).toEqual({
          outcome: 'budget_exhausted',
          code: 'BUDGET_EXHAUSTED',
        });
  });

  it('overdraw it by no more when they are in three processes', async () => {
    const limit = 20_000;
    const { calls, budget } = await crowd(limit, [300, 420, 360], 2);
    const over = overspent(calls, limit);
    console.log(`three processes: limit ${limit}, spent ${over.spent}, over by ${over.tokens} tokens`);
    expect(over.tokens).toBeLessThanOrEqual(420);
    expect(over.perRun).toBeLessThanOrEqual(1);
    expect(over.spent).toBeGreaterThanOrEqual(limit);
    expect(budget).toMatchObject({ tokens: { limit, spent: over.spent, held: 0, left: 0 }, holds: 0 });
  });

  it('overdraw it by one call each at most, whatever calls cost', async () => {
    const limit = 30_000;
    const most = 9_000;
    const { calls, budget } = await crowd(limit, [most, 2_000, 5_000]);
    const over = overspent(calls, limit);
    console.log(
      `dearer than reserved: limit ${limit}, spent ${over.spent}, over by ${over.tokens} tokens, ${over.late} late calls`,
    );
    expect(over.perRun).toBeLessThanOrEqual(1);
    expect(over.tokens).toBeLessThanOrEqual(runs * most);
    expect(budget).toMatchObject({ tokens: { spent: over.spent, held: 0 }, holds: 0 });
  });

  itDeep('all finish when there is enough for all of them', async () => {
    const { views, calls, budget } = await crowd(100_000, [400]);
    expect(views.map(({ status }) => status)).toEqual(Array(runs).fill('done'));
    expect(calls).toHaveLength(4 * runs);
    expect(budget?.tokens).toEqual({ limit: 100_000, spent: 80_000, held: 0, left: 20_000 });
  });
});

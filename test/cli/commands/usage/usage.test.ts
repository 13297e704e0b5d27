import { describe, expect, it } from 'vitest';
import type { BudgetView, UsageFilter, UsageReport } from '../../../../src/index.ts';
import { answering, mockProvider, newWorkspace, type Workspace } from '../../../support/cli.ts';
import type { MockSlot } from '../../../support/mock-provider.ts';

type Told = UsageReport & { budgets: BudgetView[]; prices: { provider: string; checked: string }[] };

const price = { inputUsd: 2, outputUsd: 8 };
const spending = (prompt_tokens: number, completion_tokens: number, more: object = {}) => ({
  usage: { prompt_tokens, completion_tokens },
  ...more,
});

async function workspaceThat(answers: MockSlot[], config: object = {}) {
  const provider = await answering(...answers);
  const models = { mock: { baseUrl: provider.baseUrl, models: { m: { price, maxOutputTokens: 100 } } } };
  const text = JSON.stringify({ model: 'mock/m', models, limits: { maxRetries: 0 }, ...config });
  return { provider, workspace: await newWorkspace({ 'detent.config.json': text }) };
}

const told = async (workspace: Workspace, ...args: string[]) =>
  (await workspace.json<Told>(['usage', ...args])).view;

describe.concurrent('detent usage', () => {
  it('adds up what runs have cost, in a table with a total, budgets and where prices are from', async () => {
    const { workspace } = await workspaceThat(
      [spending(12_000, 500, { text: 'one' }), spending(1_000, 100, { text: 'two' })],
      { budgets: { team: { maxTokens: 20_000, maxCostUsd: 5, per: 'day' } } },
    );
    await workspace.detent(['run', 'a', '--session', 'talk', '--budget', 'team']);
    await workspace.detent(['run', 'b', '--session', 'other']);
    const today = new Date().toISOString().slice(0, 10);
    const { stdout, code } = await workspace.detent(['usage', '--by', 'session']);
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['session', 'calls', 'input', 'cached', 'output', 'cost'],
      ['other', '1', '1,000', '0', '100', '$0.0028'],
      ['talk', '1', '12,000', '0', '500', '$0.0280'],
      ['total', '2', '13,000', '0', '600', '$0.0308'],
      [''],
      ['budget', 'period', 'spent', 'held', 'left'],
      ['team', today, '12,500 tokens of 20,000 tokens', '0 tokens', '7,500 tokens'],
      ['team', today, '$0.0280 of $5.0000', '$0.0000', '$4.9720'],
      [''],
      ['costs are in US dollars, by the prices of the configuration'],
      [''],
    ]);
    const byUser = await workspace.detent(['usage', '--by', 'user']);
    expect(byUser.stdout).toMatch(/^\(none\) +2 /m);
    const none = await workspace.detent(['usage', '--user', 'ada']);
    expect(none.stdout).toContain('no model was called');
  });

  it('tells programs the same, of one session, run or time, by what they ask for', async () => {
    const { workspace } = await workspaceThat([
      spending(10, 1, { text: 'one' }),
      spending(20, 2, { text: 'two' }),
    ]);
    const { view } = await workspace.json(['run', 'a', '--session', 'talk']);
    await workspace.detent(['run', 'b', '--session', 'other']);
    const shown = await told(workspace, '--by', 'session', '--since', '1h', '--limit', '1');
    expect(shown).toMatchObject({ by: 'session', total: { calls: 2, inputTokens: 30 }, prices: [] });
    expect(shown.groups.map(({ key }) => key)).toEqual(['other']);
    expect((await told(workspace, '--until', '2026-01-01')).total).toMatchObject({ calls: 0 });
    await workspace.withLibrary(async (detent) => {
      const keys = async (filter: UsageFilter) => (await detent.usage(filter)).groups.map(({ key }) => key);
      expect(await keys({})).toEqual([new Date().toISOString().slice(0, 10)]);
      expect(await keys({ by: 'model' })).toEqual(['mock/m']);
      expect(await keys({ by: 'purpose' })).toEqual(['think']);
      expect(await keys({ by: 'run', sessionId: 'talk' })).toEqual([view.runId]);
      expect(await keys({ by: 'session', runId: view.runId })).toEqual(['talk']);
      expect(await keys({ from: Date.now() + 1_000 })).toEqual([]);
    });
  });

  it('says which calls failed, and of which no price is known', async () => {
    const provider = await mockProvider({ sequence: [{ text: 'one' }, { status: 400 }] });
    const models = { mock: { baseUrl: provider.baseUrl } };
    const config = JSON.stringify({ model: 'mock/m', models });
    const workspace = await newWorkspace({ 'detent.config.json': config });
    for (const prompt of ['a', 'b']) await workspace.detent(['run', prompt]);
    const { stdout } = await workspace.detent(['usage']);
    expect(stdout).toContain('1 call failed');
    expect(stdout).toContain('2 calls have no known price and are not counted');
    expect(stdout).toMatch(/^total .* \?$/m);
  });

  it('does not miss the price of calls that used nothing', async () => {
    const models = { gone: { baseUrl: 'http://127.0.0.1:9/v1' } };
    const config = JSON.stringify({ model: 'gone/m', models, limits: { maxRetries: 0 } });
    const workspace = await newWorkspace({ 'detent.config.json': config });
    await workspace.detent(['run', 'hi']);
    const { stdout } = await workspace.detent(['usage']);
    expect(stdout).toContain('1 call failed');
    expect(stdout).not.toContain('price is known');
    expect(stdout).toMatch(/^total .* \$0\.0000$/m);
  });

  it('names the lists that known providers are priced by', async () => {
    const workspace = await newWorkspace();
    const openai = { PATH: process.env.PATH ?? '', OPENAI_API_KEY: 'sk-none' };
    const args = ['run', 'hi', '--model', 'openai/gpt-5-mini', '--base-url', 'http://127.0.0.1:9/v1'];
    await workspace.detent([...args, '--max-retries', '0'], { env: openai });
    const { stdout } = await workspace.detent(['usage']);
    expect(stdout).toMatch(/openai, \d{4}-\d\d-\d\d: https:\/\/developers\.openai\.com/);
  });
});

describe.concurrent('--budget', () => {
  it('ends runs once the budget is used up, and says how to go on', async () => {
    const answer = spending(60, 10, { text: 'ok' });
    const { workspace, provider } = await workspaceThat([answer, answer, answer], {
      budgets: { team: { maxTokens: 100 } },
    });
    const spend = () => workspace.detent(['run', 'hi', '--budget', 'team']);
    expect([(await spend()).code, (await spend()).code]).toEqual([0, 0]);
    const ended = await spend();
    expect(ended.code).toBe(1);
    expect(provider.requests).toHaveLength(2);
    expect(ended.stderr).toContain('budget "team" is used up: 140 of 100 tokens; raise budgets.team');
    expect((await workspace.detent(['run', 'without'])).code).toBe(0);
  });

  it('is that of the agent, unless the request names another', async () => {
    const answer = spending(60, 10, { text: 'ok' });
    const { workspace } = await workspaceThat([answer, answer], {
      budgets: { team: {}, mine: {} },
      agents: { helper: { budget: 'team' } },
    });
    await workspace.detent(['run', 'hi', '--agent', 'helper']);
    await workspace.detent(['run', 'hi', '--agent', 'helper', '--budget', 'mine']);
    const { budgets } = await told(workspace);
    expect(budgets.map(({ name, tokens }) => [name, tokens.spent])).toEqual([
      ['mine', 70],
      ['team', 70],
    ]);
  });

  it('that is not configured ends with 2 and names those that are', async () => {
    const { workspace } = await workspaceThat([], { budgets: { team: {}, night: {} } });
    const ended = await workspace.detent(['run', 'hi', '--budget', 'taem']);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('there is no budget "taem"; did you mean "team"?; there are team, night');
    expect((await workspace.json<unknown[]>(['runs', 'list'])).view).toEqual([]);
    const broken = await newWorkspace({ 'detent.config.json': '{"agents": {"a": {"budget": "none"}}}' });
    expect((await broken.detent(['run', 'hi'])).stderr).toContain(
      'agents.a.budget: there is no budget "none"',
    );
  });
});

const hang = spending(60, 10, { text: 'half', ending: 'hang' as const });

describe.concurrent('a reservation', () => {
  it('of a killed process blocks no other run, and the resumed run is counted once', async () => {
    const ok = spending(60, 10, { text: 'ok' });
    const { workspace } = await workspaceThat([hang, ok, ok], { budgets: { team: { maxTokens: 130 } } });
    const live = workspace.start(['run', 'hi', '--budget', 'team']);
    await live.saw('stdout', /half/);
    live.kill('SIGKILL');
    await live.ended;
    expect((await told(workspace)).budgets[0]).toMatchObject({ holds: 1 });
    expect((await workspace.detent(['run', 'another', '--budget', 'team'])).code).toBe(0);
    const { runId } = await workspace.withLibrary(
      async ({ runs }) => (await runs.list()).at(-1) ?? { runId: '' },
    );
    expect((await workspace.detent(['runs', 'resume', runId])).code).toBe(0);
    const { budgets, total } = await told(workspace);
    expect(budgets[0]).toMatchObject({ holds: 0, tokens: { limit: 130, spent: 140, held: 0, left: 0 } });
    expect(total).toMatchObject({ calls: 2, inputTokens: 120, outputTokens: 20 });
  });
});

import { describe, expect, it } from 'vitest';
import type { Core } from '../../src/runtime/config/core.ts';
import { callName } from '../../src/store/stored-call.ts';
import { type ScriptLine, scriptedModel } from '../../src/testing/index.ts';
import { coreWith, scripted, tool } from '../support/detent.ts';

const secret = 'super-secret-value';
const call = (name: string, args: object): ScriptLine => ({ toolCalls: [{ name, arguments: args }] });

function paying() {
  const seen: unknown[] = [];
  const pay = tool('pay', {
    sideEffect: 'unsafe',
    run(args) {
      seen.push(args);
      return 'paid';
    },
  });
  return { seen, options: { tools: { define: [pay] }, env: { X_TOKEN: secret } } };
}

/** The bytes to execute of every effect of the newest run, by number. */
async function inputs({ store }: Core): Promise<Record<string, string | null>> {
  const [run] = await store.query('listRuns', { tenant: 1, limit: 1 });
  const effects = await store.query('listEffects', { run: run?.pk ?? 0, after: 0 });
  return Object.fromEntries(effects.map(({ n, input }) => [callName(n), input]));
}

describe('the bytes of a call', () => {
  it.each(['approve', 'reject'] as const)(
    'are there until it is settled, and not after: %s',
    async (verdict) => {
      const { options } = paying();
      const core = await coreWith(scriptedModel([call('pay', { key: secret }), { text: 'ok' }]), options);
      const { startRequest } = await import('../../src/runtime/requests/run-request.ts');
      const asked = { model: 'test/script', models: { test: scriptedModel([]) }, ...options };
      const runId = await core.runs.start(startRequest('go', {}, asked, 'run_1'));
      expect(await core.runs.settled(1, runId)).toMatchObject({ status: 'waiting' });
      expect((await inputs(core)).c2).toContain(secret);
      await core.runs.confirm(1, runId, 'c2', { verdict });
      expect(await core.runs.settled(1, runId)).toMatchObject({ status: 'done' });
      expect(Object.values(await inputs(core)).filter((input) => input !== null)).toEqual([]);
    },
  );
});

describe('a fork from before a call was settled', () => {
  it('runs it with the arguments of the log', async () => {
    const { seen, options } = paying();
    const { detent } = await scripted([call('pay', { to: 'ann' }), { text: 'ok' }, { text: 'ok' }], options);
    const run = detent.run('go');
    await run.result;
    await run.confirm('c2', { verdict: 'approve' });
    await run.result;
    const fork = await detent.runs.fork(run.runId, { at: 2 });
    expect(fork.open).toMatchObject([{ callId: 'c2', tool: 'pay', arguments: '{"to":"ann"}' }]);
    await detent.runs.confirm(fork.runId, 'c2', { verdict: 'approve' });
    await detent.runs.resume({ runId: fork.runId });
    expect(await detent.runs.attach(fork.runId).result).toMatchObject({ status: 'done' });
    expect(seen).toEqual([{ to: 'ann' }, { to: 'ann' }]);
  });

  it('runs it with the arguments that a person had given it by then, and asks about the others', async () => {
    const { seen, options } = paying();
    const lines = [call('pay', { to: 'ann' }), { text: 'ok' }, { text: 'ok' }, { text: 'ok' }];
    const { detent } = await scripted(lines, options);
    const run = detent.run('go');
    await run.result;
    await run.confirm('c2', { verdict: 'modify', arguments: { to: 'bob' } });
    await run.result;
    for (const [at, expected] of [
      [3, 'bob'],
      [2, 'ann'],
    ] as const) {
      const fork = await detent.runs.fork(run.runId, { at });
      if (at === 2) await detent.runs.confirm(fork.runId, 'c2', { verdict: 'approve' });
      await detent.runs.resume({ runId: fork.runId });
      await detent.runs.attach(fork.runId).result;
      expect(seen.at(-1)).toEqual({ to: expected });
    }
  });

  it('is refused when the arguments had a secret, and possible before and after it', async () => {
    const { options } = paying();
    const { detent } = await scripted([call('pay', { key: secret }), { text: 'ok' }], options);
    const run = detent.run('go');
    await run.result;
    await run.confirm('c2', { verdict: 'approve' });
    await run.result;
    for (const at of [2, 3])
      await expect(detent.runs.fork(run.runId, { at })).rejects.toMatchObject({ code: 'INPUT_NOT_STORED' });
    for (const at of [1, 4]) expect(await detent.runs.fork(run.runId, { at })).toBeDefined();
  });
});

import { describe, expect, it } from 'vitest';
import { forkAt } from '../../../src/runs/history/fork.ts';
import type { ScriptLine } from '../../../src/testing/index.ts';
import { randomId } from '../../../src/text/ids.ts';
import { scripted, tool } from '../../support/detent.ts';
import { LongRun, tenant } from './long-run.ts';

const call = (name: string, args: object = {}): ScriptLine => ({ toolCalls: [{ name, arguments: args }] });

describe('the preview of a fork', () => {
  it('is what the fork is, at every transition, and makes nothing', async () => {
    const long = new LongRun();
    await long.live();
    const { core, runId } = long;
    const history = await core.history();
    const sessions = await core.sessions();
    const { seq: last } = await core.runs.row(tenant, runId);
    for (let seq = 0; seq <= last; seq++) {
      const before = await core.store.query('listRuns', { tenant, limit: 1_000 });
      const preview = await history.forkPreview({ tenant, runId, seq });
      expect(await core.store.query('listRuns', { tenant, limit: 1_000 })).toEqual(before);
      const { store, hosts, redact } = core;
      const at = Date.now();
      const fork = await forkAt(store, hosts, { tenant, runId, seq, newId: randomId, redact, at });
      const view = await core.runs.view(tenant, fork.runId);
      const { conversation } = await sessions.show(tenant, fork.sessionId);
      const withoutRun = ({ runId: _, ...message }: (typeof conversation)[number]) => message;
      expect([
        seq,
        preview.open.map(({ effect, name, status }) => ({ effect, name, status })),
        preview.path,
        preview.pending,
        preview.messages.map(withoutRun),
      ]).toEqual([
        seq,
        fork.open.map(({ effect, name, status }) => ({ effect, name, status })),
        view.states.at(-1),
        view.pending,
        conversation.map(withoutRun),
      ]);
    }
  });

  it('says which of its effects change something in the world', async () => {
    const tools = {
      define: [
        tool('look'),
        tool('count', { sideEffect: 'idempotent', confirm: true }),
        tool('pay', { sideEffect: 'unsafe' }),
      ],
    };
    const { detent } = await scripted(
      [
        { toolCalls: ['look', 'count', 'pay'].map((name) => ({ name, arguments: {} })) },
        { text: 'never asked' },
      ],
      { tools },
    );
    const { runId } = await detent.run('go').result;
    const { open } = await detent.runs.forkPreview(runId, { at: 2 });
    expect(
      open.map(({ tool: name, sideEffect, isSafeToRepeat }) => [name, sideEffect, isSafeToRepeat]),
    ).toEqual([
      ['look', 'readonly', true],
      ['count', 'idempotent', false],
      ['pay', 'unsafe', false],
    ]);
    expect((await detent.runs.forkPreview(runId, { at: 1 })).open).toEqual([
      { effect: 1, name: 'effect.callModel', status: 'pending', model: 'test/script', isSafeToRepeat: true },
    ]);
  });

  it('has the changed message and the other model', async () => {
    const { detent } = await scripted([{ text: 'one' }]);
    const { runId } = await detent.run('go').result;
    const preview = await detent.runs.forkPreview(runId, {
      at: 1,
      model: 'test/other',
      editMessage: 'go elsewhere',
    });
    expect(preview).toMatchObject({ model: 'test/other', ended: false, open: [{ model: 'test/other' }] });
    expect(preview.messages.map(({ text }) => text)).toEqual(['go elsewhere']);
    expect(await detent.sessions.list()).toHaveLength(1);
  });

  it('refuses what the fork would refuse', async () => {
    const { detent } = await scripted([{ text: 'one' }]);
    const { runId, sessionId } = await detent.run('go').result;
    const refused = async (options: Parameters<typeof detent.runs.fork>[1]) => {
      const codes = await Promise.all(
        [detent.runs.forkPreview(runId, options), detent.runs.fork(runId, options)].map((made) =>
          made.then(
            () => 'made',
            ({ code }: { code: string }) => code,
          ),
        ),
      );
      expect(codes[0]).toBe(codes[1]);
      return codes[0];
    };
    expect(await refused({ at: 9 })).toBe('SEQ_OUT_OF_RANGE');
    expect(await refused({ at: 1, sessionId })).toBe('SESSION_EXISTS');
    expect(await refused({ at: 1, sessionId: '' })).toBe('INVALID_SESSION');
    expect(await refused({ at: 1, model: 5 as never })).toBe('INVALID_ARGUMENTS');
    expect(await refused({ at: '1' as never })).toBe('SEQ_OUT_OF_RANGE');
    expect(await refused({ at: 1, editMessage: '' })).toBe('EMPTY_PROMPT');
    expect(await refused({ at: 1, model: 'nowhere/at-all' })).toBe('UNKNOWN_MODEL');
  });

  it('of a run behind an unfinished one is refused, as the fork is', async () => {
    const tools = { define: [tool('pay', { sideEffect: 'unsafe' })] };
    const { detent } = await scripted([call('pay')], { tools });
    await detent.run('first', { sessionId: 's' }).result;
    const second = await detent.run('second', { sessionId: 's' }).started;
    await expect(detent.runs.forkPreview(second, { at: 0 })).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    expect((await detent.runs.at(second, 0)).path).toBe('idle');
  });
});

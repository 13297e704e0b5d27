import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../../../src/index.ts';
import { newWorkspace } from '../../../support/cli.ts';

/** A workspace with runs that have ended, oldest first. */
async function withRuns(count: number) {
  const workspace = await newWorkspace();
  const runIds: string[] = [];
  await workspace.withLibrary(async (detent) => {
    for (let i = 0; i < count; i++)
      runIds.push((await detent.run('What is 1 + 1?', { sessionId: `s${i}` }).result).runId);
  });
  return { workspace, runIds };
}

describe.concurrent('the word for a run', () => {
  it('is "last" for the newest one, in every command that takes a run', async () => {
    const { workspace, runIds } = await withRuns(2);
    const [, newest = ''] = runIds;
    expect((await workspace.json(['runs', 'show', 'last', '--json'])).view.runId).toBe(newest);
    for (const command of ['why', 'events', 'replay', 'resume']) {
      const { code, stdout } = await workspace.detent(['runs', command, 'last', '--json']);
      expect([command, code, stdout]).toEqual([command, 0, expect.stringContaining(newest)]);
    }
    const cancelled = await workspace.json(['runs', 'cancel', 'last', '--json']);
    expect(cancelled.view).toMatchObject({ runId: newest, cancelled: false });
    const diff = await workspace.detent(['runs', 'diff', 'last', 'last']);
    expect(diff.stdout).toContain(newest);
    const late = await workspace.detent(['runs', 'confirm', 'last', 'c2', '--approve']);
    expect(late.stderr).toContain(newest);
    const settled = await workspace.detent(['runs', 'reconcile', 'last', 'c2', '--skip']);
    expect(settled.stderr).toContain(newest);
    const forked = await workspace.json(['runs', 'fork', 'last', '--at', '1', '--json']);
    expect(forked.view).toMatchObject({ from: { runId: newest } });
  });

  it('may be the beginning of an id that no other run has', async () => {
    const { workspace, runIds } = await withRuns(2);
    const [runId = ''] = runIds;
    const { view } = await workspace.json(['runs', 'show', runId.slice(0, 12), '--json']);
    expect(view.runId).toBe(runId);
    const fork = ['sessions', 'fork', 's0', '--at', `${runId.slice(0, 12)}:1`, '--json'];
    expect((await workspace.json(fork)).view).toMatchObject({ from: { runId } });
  });

  it('is refused when several ids begin with it: the error lists them', async () => {
    const { workspace, runIds } = await withRuns(3);
    const { code, stderr } = await workspace.detent(['runs', 'show', 'run_']);
    expect(code).toBe(2);
    expect(stderr).toContain(`several runs begin with "run_": ${runIds.toSorted().join(', ')}`);
  });

  it('is not found when no id begins with it, and before there are runs', async () => {
    const { workspace } = await withRuns(1);
    for (const word of ['run_!', 'nun_', 'last.c4', '%', 'run_%', '']) {
      const { code } = await workspace.detent(['runs', 'show', word]);
      expect([word, code]).toEqual([word, word === '' ? 2 : 4]);
    }
    const empty = await newWorkspace();
    const { code, stderr } = await empty.detent(['runs', 'show', 'last']);
    expect([code, stderr]).toEqual([4, expect.stringContaining('there are no runs here yet')]);
  });

  it('never names a run of another tenant', async () => {
    const { workspace, runIds } = await withRuns(1);
    const [mine = ''] = runIds;
    await workspace.withLibrary(async (detent) => {
      await detent.tenants.create({ name: 'other' });
      const { runId: theirs } = await detent.run('hi', { principal: { tenantId: 2 } }).result;
      expect(await detent.runs.find('last')).toBe(mine);
      expect(await detent.runs.find('run_')).toBe(mine);
      expect(await detent.runs.find('last', 2)).toBe(theirs);
      await expect(detent.runs.find(theirs)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });
  });

  it('does not change what a session may be called', async () => {
    const workspace = await newWorkspace();
    for (const session of ['last', 'run_']) {
      await workspace.detent(['run', '--session', session, 'What is 1 + 1?']);
      const { stdout } = await workspace.detent(['runs', 'list', '--session', session, '--json']);
      expect((JSON.parse(stdout) as RunSummary[]).map(({ sessionId }) => sessionId)).toEqual([session]);
    }
  });
});

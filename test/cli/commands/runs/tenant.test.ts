import { describe, expect, it } from 'vitest';
import type { RunSummary, Why } from '../../../../src/index.ts';
import { answering, at, by, newWorkspace } from '../../../support/cli.ts';
import { toolsConfig } from '../../../support/tools-config.ts';

/** A run of tenant 1, and one of the tenant `acme`, which waits for a decision. */
async function withTenant() {
  const workspace = await newWorkspace({ 'detent.config.ts': toolsConfig });
  const provider = await answering(
    { text: 'Mine.' },
    { calls: [{ name: 'note', arguments: { text: 'milk' } }] },
    { text: 'Theirs.' },
  );
  const mine = (await workspace.json(['run', 'hi', ...by(provider)])).view.runId;
  await workspace.detent(['tenant', 'create', 'acme']);
  const theirs = await workspace.withLibrary(
    async (detent) => {
      const principal = { tenantId: 2 };
      const [model = '', baseUrl = ''] = [by(provider)[1], at(provider)[1]];
      return (await detent.run('note milk', { principal, model, baseUrl }).result).runId;
    },
    (await import(workspace.path('detent.config.ts'))).default,
  );
  return { workspace, provider, mine, theirs };
}

describe('--tenant of the commands on runs', () => {
  it('is named where tenant 1 has no runs, and others are there', async () => {
    const workspace = await newWorkspace();
    for (const name of ['acme', 'bolt']) await workspace.detent(['tenant', 'create', name]);
    expect((await workspace.detent(['runs', 'list'])).stderr).toContain(
      'tenant 1 has no runs here; those of another: "detent runs list --tenant acme"; 1 more: "detent tenant list"',
    );
    expect((await workspace.detent(['runs', 'list', '--tenant', 'acme'])).stderr).toContain(
      'no runs here yet',
    );
  });

  it('means the runs of that tenant, by its name or its id, in each of them', async () => {
    const { workspace, provider, mine, theirs } = await withTenant();
    for (const tenant of ['acme', '2']) {
      const list = await workspace.json<RunSummary[]>(['runs', 'list', '--tenant', tenant]);
      expect(list.view.map(({ runId }) => runId)).toEqual([theirs]);
      for (const verb of ['show', 'why', 'events', 'replay'])
        expect([verb, (await workspace.detent(['runs', verb, theirs, '--tenant', tenant])).code]).toEqual([
          verb,
          0,
        ]);
    }
    expect((await workspace.json<RunSummary[]>(['runs', 'list'])).view.map(({ runId }) => runId)).toEqual([
      mine,
    ]);
    expect((await workspace.detent(['runs', 'show', theirs])).code).toBe(4);
    expect((await workspace.detent(['runs', 'show', mine, '--tenant', 'acme'])).code).toBe(4);
    const parked = await workspace.detent(['runs', 'resume', 'last', '--tenant', 'acme', ...at(provider)]);
    expect(parked.code).toBe(5);
    expect(parked.stderr).toContain(`detent runs confirm --tenant acme ${theirs} c2`);
    const { view } = await workspace.json<Why>(['runs', 'why', 'last', '--tenant', 'acme']);
    expect(view.runId).toBe(theirs);
    await workspace.detent(['runs', 'confirm', theirs, 'c2', '--approve', '--tenant', 'acme']);
    const resumed = await workspace.detent(['runs', 'resume', theirs, '--tenant', 'acme', ...at(provider)]);
    expect(resumed).toMatchObject({ code: 0, stdout: 'Theirs.\n' });
    const followed = await workspace.detent(['runs', 'follow', theirs, '--tenant', 'acme']);
    expect(followed.stdout).toBe('Theirs.\n');
  });

  it('says that there is no such tenant, and excludes --all and --server', async () => {
    const workspace = await newWorkspace();
    for (const words of [['list'], ['show', 'last'], ['replay', 'last']]) {
      const { code, stderr } = await workspace.detent(['runs', ...words, '--tenant', 'nobody']);
      expect([code, stderr]).toEqual([
        expect.any(Number),
        expect.stringContaining('there is no tenant "nobody"'),
      ]);
      expect(code).toBeGreaterThan(0);
    }
    const all = await workspace.detent(['runs', 'resume', '--all', '--tenant', '1']);
    expect(all).toMatchObject({ code: 2, stderr: expect.stringContaining('of all tenants') });
    const served = await workspace.detent([
      'runs',
      'list',
      '--tenant',
      '1',
      '--server',
      'http://127.0.0.1:1',
    ]);
    expect(served).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the token names the tenant and the user'),
    });
  });
});

import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { answering, at, bareWorkspace, by, type Workspace } from '../../support/cli.ts';
import { itDeep } from '../../support/deep.ts';
import { describeWith } from '../../support/needs.ts';

const question = ['run', 'What is 1 + 1?'];
const databaseOf = (workspace: Workspace) => workspace.path('.detent/detent.db');

/** A workspace with one finished run in its database. */
async function used(): Promise<Workspace> {
  const workspace = await bareWorkspace();
  expect((await workspace.detent(question)).code).toBe(0);
  return workspace;
}

/** A process that holds the database and does not end by itself. */
async function held(...later: Parameters<typeof answering>) {
  const workspace = await bareWorkspace();
  const provider = await answering({ text: 'half', ending: 'hang' }, ...later);
  const live = workspace.start(['run', 'hi', '--session', 'first', ...by(provider)]);
  await live.saw('stdout', /half/);
  return { workspace, provider, live };
}

const runsOf = (workspace: Workspace) =>
  workspace.withLibrary((detent) => detent.runs.list(), { readonly: true });

async function expectUnusable(workspace: Workspace, args: readonly string[], remedy: RegExp) {
  const ended = await workspace.detent(args);
  expect(ended).toMatchObject({ code: 6, stdout: '' });
  expect(ended.stderr).toMatch(remedy);
  expect(ended.stderr.trim().split('\n')).toHaveLength(1);
  return ended;
}

describe.concurrent('the database', () => {
  it('is in the workspace', async () => {
    const workspace = await used();
    expect(existsSync(databaseOf(workspace))).toBe(true);
  });

  it('is where --db says, from here on, in folders that are made', async () => {
    const workspace = await bareWorkspace();
    const at = ['--db', 'data/deep/runs.db'];
    expect((await workspace.detent([...question, ...at])).code).toBe(0);
    expect(existsSync(workspace.path('data/deep/runs.db'))).toBe(true);
    expect(existsSync(databaseOf(workspace))).toBe(false);
    expect((await workspace.json<unknown[]>(['runs', 'list', ...at])).view).toHaveLength(1);
  });

  it('may be nowhere', async () => {
    const workspace = await bareWorkspace();
    expect((await workspace.detent([...question, '--db', ':memory:'])).code).toBe(0);
    expect(existsSync(databaseOf(workspace))).toBe(false);
    expect(existsSync(workspace.path(':memory:'))).toBe(false);
  });
});

describe.concurrent('a database that another process drives', () => {
  itDeep(
    'has a prompt of the same session wait for the run of another process, and go on when that dies',
    async () => {
      const { workspace, provider, live } = await held({ text: 'carried on' }, { text: 'and answered' });
      const second = workspace.start(['run', 'next', '--session', 'first', ...by(provider)], {
        ownProcess: true,
      });
      while ((await runsOf(workspace)).length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
      live.kill('SIGKILL');
      expect(await second.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('and answered') });
      expect((await runsOf(workspace)).map(({ status }) => status)).toEqual(['done', 'done']);
    },
  );

  it('shows a run of another process until its end', async () => {
    const { workspace, live } = await held();
    const follower = workspace.start(['runs', 'follow', 'last', '--jsonl']);
    expect((await workspace.detent(['runs', 'cancel', 'last'])).code).toBe(0);
    const { code, stdout } = await follower.ended;
    expect(code).toBe(130);
    expect(stdout).toMatch(/"type":"run.cancel"/);
    expect((await live.ended).code).toBe(130);
  });
});

describe.concurrent('a database that cannot be used', () => {
  it.each([
    ['writing', question],
    ['reading', ['runs', 'list']],
  ])('because a newer Detent made it, says so (%s)', async (_, args) => {
    const workspace = await used();
    const db = new Sqlite(databaseOf(workspace));
    db.exec("insert into kysely_migration (name, timestamp) values ('9999_future', '2099')");
    db.close();
    await expectUnusable(workspace, args, /newer Detent.*upgrade/);
  });
});

describeWith(process.getuid?.() === 0, 'only root can become somebody who may not write')(
  'a database that may only be read',
  () => {
    it('cannot be written: reading still works', async () => {
      const workspace = await used();
      await chmod(workspace.folder, 0o755);
      const asNobody = { uid: 65_534 };
      const ended = await workspace.detent(question, asNobody);
      expect(ended).toMatchObject({ code: 6, stdout: '' });
      expect(ended.stderr).toMatch(/writable|permissions/);
      expect((await workspace.json(['runs', 'list'])).view).toHaveLength(1);
    });
  },
);

describe.concurrent('a full disk', () => {
  const limited = (maxPages: number) => JSON.stringify({ database: { maxPages } });

  itDeep(
    'under a run ends with 6 and a remedy; with space again, resume completes it and nothing is lost',
    async () => {
      const workspace = await bareWorkspace();
      const words = 'word '.repeat(20_000);
      const provider = await answering(
        { calls: [{ id: 'call_1', name: 'calculator', arguments: { expression: '6*7' } }] },
        { text: words },
        { text: words },
      );
      // As many pages as an empty database has, and a few for the first steps.
      await workspace.detent(question);
      const db = new Sqlite(databaseOf(workspace));
      const pages = Number(db.pragma('page_count', { simple: true }));
      db.close();
      await workspace.write('detent.config.json', limited(pages + 8));

      const full = await workspace.json(['run', 'go', ...by(provider)]);
      expect(full.code).toBe(6);
      expect(full.view).toMatchObject({
        status: 'interrupted',
        error: { code: 'DATABASE_FULL', retryable: true },
      });
      expect(full.stderr).toMatch(/disk space/);
      expect(full.stderr).toContain(`detent runs resume ${full.view.runId}`);
      expect(full.stderr.match(/DATABASE_FULL|disk space/g)).toHaveLength(1);

      await workspace.write('detent.config.json', '{}');
      const why = await workspace.detent(['runs', 'why', full.view.runId]);
      expect(why.stdout).toContain('could not store the next step (DATABASE_FULL');
      const shown = await workspace.json(['runs', 'show', full.view.runId]);
      expect(shown.view).toMatchObject({ status: 'interrupted' });
      expect(shown.view.steps[0]?.toolCalls[0]).toMatchObject({ id: 'call_1', status: 'done' });
      const resumed = await workspace.json(['runs', 'resume', full.view.runId, ...at(provider)]);
      expect(resumed).toMatchObject({ code: 0, view: { status: 'done', text: words } });
      expect(resumed.view.steps).toHaveLength(2);
    },
  );

  it('before there is a run ends with 6, and makes none', async () => {
    const workspace = await used();
    await workspace.write('detent.config.json', limited(1));
    const big = 'x'.repeat(500_000);
    const ended = await workspace.detent(['run', '-'], { input: big });
    expect(ended).toMatchObject({ code: 6, stdout: '' });
    expect(ended.stderr).toMatch(/disk space/);
    await workspace.write('detent.config.json', '{}');
    expect((await workspace.json(['runs', 'list'])).view).toHaveLength(1);
  });
});

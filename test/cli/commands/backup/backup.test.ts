import { rmSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { newWorkspace, type Workspace } from '../../../support/cli.ts';
import { itDeep } from '../../../support/deep.ts';
import { newDatabase } from '../../../support/postgres.ts';

describe('detent backup', () => {
  it('copies the database to a file that every command can use', async () => {
    const workspace = await newWorkspace();
    await workspace.detent(['run', 'What is 6 * 7?']);
    const { code, view } = await workspace.json<{ file: string; bytes: number }>(['backup', 'copy.db']);
    expect(code).toBe(0);
    expect(view).toEqual({
      file: workspace.path('copy.db'),
      bytes: statSync(workspace.path('copy.db')).size,
    });
    expect((await workspace.json<unknown[]>(['runs', 'list', '--db', 'copy.db'])).view).toHaveLength(1);
    const { view: report } = await workspace.json<{ checks: { id: string; status: string }[] }>([
      'doctor',
      '--offline',
      '--db',
      'copy.db',
    ]);
    const ofDatabase = report.checks.filter(({ id }) => id.startsWith('database'));
    expect(ofDatabase.map(({ status }) => status)).not.toContain('fail');
    const again = await workspace.detent(['backup', 'copy.db']);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
    expect(await workspace.detent(['backup', 'copy.db', '--force'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/copy\.db {2}\d+\.\d MB\n/),
    });
  });

  it('has nothing to copy where there is no database', async () => {
    const workspace = await newWorkspace();
    expect(await workspace.detent(['backup', 'copy.db', '--db', 'none.db'])).toMatchObject({ code: 6 });
  });
});

describe('detent restore', () => {
  const runsOf = async (workspace: Workspace, ...place: string[]) =>
    (await workspace.json<{ text: string }[]>(['runs', 'list', ...place])).view.map(({ text }) => text);

  it('brings a backup back to where the database was, and to another place', async () => {
    const workspace = await newWorkspace();
    await workspace.detent(['run', 'What is 6 * 7?']);
    const before = await runsOf(workspace);
    await workspace.detent(['backup', 'copy.db']);
    await workspace.detent(['run', 'What is 6 * 8?']);
    expect(await workspace.detent(['restore', 'copy.db'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/detent\.db exists;.*--force/),
    });
    expect(await runsOf(workspace)).toHaveLength(2);
    expect((await workspace.detent(['restore', 'copy.db', '--force'])).code).toBe(0);
    expect(await runsOf(workspace)).toEqual(before);
    rmSync(workspace.path('.detent'), { recursive: true });
    expect((await workspace.detent(['restore', 'copy.db'])).code).toBe(0);
    expect(await runsOf(workspace)).toEqual(before);
    expect((await workspace.detent(['restore', 'copy.db', '--db', 'there/new.db'])).code).toBe(0);
    expect(await runsOf(workspace, '--db', 'there/new.db')).toEqual(before);
    // It goes on as any other does.
    expect((await workspace.detent(['run', 'What is 6 * 9?'])).code).toBe(0);
  });

  itDeep('brings it back into an empty server, and into none that has rows', async () => {
    const url = await newDatabase();
    const workspace = await newWorkspace();
    await workspace.detent(['run', 'What is 6 * 7?']);
    const before = await runsOf(workspace);
    await workspace.detent(['backup', 'copy.db']);
    const env = { DATABASE_URL: url };
    expect(await workspace.detent(['restore', 'copy.db'], { env })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^postgres:\/\/\S+ {2}\d+ rows, each compared with \S+copy\.db\n$/),
    });
    const { view } = await workspace.json<{ text: string }[]>(['runs', 'list'], { env });
    expect(view.map(({ text }) => text)).toEqual(before);
    expect((await workspace.detent(['restore', 'copy.db'], { env })).stderr).toContain('has rows already');
    expect(await workspace.detent(['restore', 'copy.db', '--force'], { env })).toMatchObject({ code: 2 });
  });

  it('refuses what is no backup, and leaves nothing', async () => {
    const workspace = await newWorkspace();
    await workspace.write('text.db', 'no database');
    const address = 'postgres://someone:not-to-be-shown@localhost/app';
    for (const [command, file, code] of [
      ['restore', 'none.db', 4],
      ['restore', 'text.db', 6],
      ['restore', address, 2],
      ['backup', address, 2],
    ] as const) {
      const ended = await workspace.detent([command, file, '--db', 'new.db']);
      expect({ command, file, code: ended.code }).toEqual({ command, file, code });
      expect(ended.stderr).not.toContain('not-to-be-shown');
    }
    expect(statSync(workspace.path('new.db'), { throwIfNoEntry: false })).toBeUndefined();
  });
});

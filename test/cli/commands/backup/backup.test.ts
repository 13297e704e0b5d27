import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { newWorkspace } from '../../../support/cli.ts';

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

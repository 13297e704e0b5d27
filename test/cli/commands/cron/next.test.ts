import { describe, expect, it } from 'vitest';
import { bareWorkspace } from '../../../support/cli.ts';

const from = ['--from', '2026-11-23T08:00Z'];

describe.concurrent('detent cron next', () => {
  it('prints the times in UTC alone on stdout, and what they mean on stderr', async () => {
    const workspace = await bareWorkspace();
    const args = ['cron', 'next', '0 0 9 ? * MON-FRI', '--tz', 'Europe/Berlin', '--count', '2', ...from];
    expect(await workspace.detent(args)).toMatchObject({
      code: 0,
      stdout: '2026-11-24T08:00:00Z\n2026-11-25T08:00:00Z\n',
      stderr: 'quartz: at 09:00, Monday to Friday (Europe/Berlin)\n',
    });
  });

  it('tells programs what was decided', async () => {
    const workspace = await bareWorkspace();
    const { view } = await workspace.json<object>(['cron', 'next', '0  9 * * 1', '--count', '1', ...from]);
    expect(view).toEqual({
      expression: '0 9 * * 1',
      dialect: 'unix',
      timeZone: 'UTC',
      words: 'at 09:00, Monday (UTC)',
      next: ['2026-11-23T09:00:00Z'],
    });
  });

  it('reads an expression by the rules that are named', async () => {
    const workspace = await bareWorkspace();
    const first = async (dialect: string) => {
      const args = ['cron', 'next', '0 0 9 ? * 1', '--dialect', dialect, '--count', '1', ...from];
      return (await workspace.detent(args)).stdout;
    };
    // Day 1 is Sunday in Quartz, and Monday elsewhere.
    expect([await first('quartz'), await first('unix'), await first('robfig')]).toEqual([
      '2026-11-29T09:00:00Z\n',
      '2026-11-23T09:00:00Z\n',
      '2026-11-23T09:00:00Z\n',
    ]);
  });

  it('says that there is no time', async () => {
    const workspace = await bareWorkspace();
    const ended = await workspace.detent(['cron', 'next', '0 0 30 2 *']);
    expect(ended).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('no time until the end of 2199'),
    });
  });
});

import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { answering, by, newWorkspace } from '../support/cli.ts';
import { describeWith } from '../support/needs.ts';

/** The letter of a process's state: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const stateOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '')[0];

describeWith(process.platform === 'linux', 'states of processes are read in /proc')('Ctrl-Z', () => {
  it('stops a process outside of its transactions, so that others can write meanwhile', async () => {
    const rounds = 45;
    const todo = { calls: [{ name: 'todo', arguments: { items: [] } }] };
    const provider = await answering(...Array.from({ length: rounds }, () => todo), { text: 'all done' });
    const workspace = await newWorkspace();
    const live = workspace.start(['run', 'go', ...by(provider)]);
    const db = new Sqlite(workspace.path('.detent/detent.db'), { timeout: 0 });
    const count = db.prepare('SELECT count(*) FROM run_events').pluck();
    let stops = 0;
    while (Number(count.get()) === 0) await pause(5);
    for (; Number(count.get()) < rounds; stops++) {
      live.kill('SIGTSTP');
      while (stateOf(live.pid) !== 'T') await pause(1);
      db.exec('BEGIN IMMEDIATE; ROLLBACK');
      live.kill('SIGCONT');
      await pause(Math.random() * 15);
    }
    db.close();
    expect(await live.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('all done') });
    expect(stops).toBeGreaterThan(5);
  });
});

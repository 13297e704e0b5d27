/**
 * What many scheduled jobs cost a process, beside bare rows of SQLite and a process without jobs.
 *
 * @module
 */

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Sqlite from 'better-sqlite3';
import { measureInChild } from '../support/child.ts';
import { commonFlags } from '../support/flags.ts';
import { machineFacts } from '../support/machine-facts.ts';
import { rounded } from '../support/numbers.ts';
import { inScratchFolder } from '../support/scratch.ts';
import { table } from '../support/table.ts';
import { tell } from '../support/tell.ts';
import type { ScheduleResult, ScheduleTask } from './child.ts';

const usage = `usage: npm run bench -- schedule [--quick] [--json] [--jobs N]

A process with 10,000 jobs that are not due: its start, its memory, and the CPU of an idle minute, beside one without jobs; and 1,000
slots of the same second, and one slot a second.
  --quick   few jobs: shows that it works, not what it costs
  --json    one JSON object instead of the table
  --jobs N  how many jobs (10,000)`;

interface Measured {
  jobs: number;
  /** Commits of one row each, as many as there are jobs, 50 to a transaction as they come. */
  insertMs: number;
  added: ScheduleResult;
  /** The first start computes the next slot of each job. */
  first: ScheduleResult;
  later: ScheduleResult;
  empty: ScheduleResult;
  dueTogether: ScheduleResult & { slots: number };
  dueApart: ScheduleResult & { slots: number };
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { ...commonFlags, jobs: { type: 'string' } } });
  if (values.help) return console.log(usage);
  const jobs = Number(values.jobs ?? (values.quick ? 200 : 10_000));
  const measured = await measure(jobs, values.quick);
  const facts = machineFacts();
  if (values.json) console.log(JSON.stringify({ machine: facts, ...measured }));
  else console.log(report(measured, facts));
}

async function measure(jobs: number, isQuick: boolean): Promise<Measured> {
  const child = (folder: string, asked: Partial<ScheduleTask>) => {
    tell(`${asked.do} ${asked.jobs ?? jobs}`);
    const task: ScheduleTask = {
      do: 'add',
      folder,
      jobs,
      idleMs: isQuick ? 500 : 20_000,
      apartMs: 0,
      ...asked,
    };
    return measureInChild<ScheduleResult>(new URL('./child.ts', import.meta.url), task, ['--expose-gc']);
  };
  const [together, apart] = isQuick ? [50, 3] : [1_000, 30];
  const resting = await inScratchFolder(async (folder) => ({
    insertMs: insertMs(folder, jobs),
    added: await child(folder, {}),
    first: await child(folder, { do: 'rest' }),
    later: await child(folder, { do: 'rest' }),
  }));
  const due = (slots: number, apartMs: number) =>
    inScratchFolder(async (folder) => ({
      slots,
      ...(await child(folder, { do: 'due', jobs: slots, apartMs })),
    }));
  const measured = {
    jobs,
    ...resting,
    empty: await inScratchFolder((folder) => child(folder, { do: 'rest', jobs: 0 })),
    dueTogether: await due(together, 0),
    dueApart: await due(apart, 1_000),
  };
  tell('');
  return measured;
}

function insertMs(folder: string, jobs: number): number {
  const db = new Sqlite(join(folder, 'floor.db'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE jobs (id INTEGER PRIMARY KEY, body TEXT)');
  const insert = db.prepare('INSERT INTO jobs (body) VALUES (?)');
  const some = db.transaction(() => {
    for (let i = 0; i < 50; i++) insert.run('x'.repeat(1_000));
  });
  const began = performance.now();
  for (let i = 0; i < jobs; i += 50) some();
  const ms = performance.now() - began;
  db.close();
  return rounded(ms, 0);
}

function report(
  { jobs, insertMs, added, first, later, empty, dueTogether, dueApart }: Measured,
  { date, node, platform, cores, cpu }: ReturnType<typeof machineFacts>,
): string {
  const rows: [what: string, value: number, beside: string][] = [
    [
      `add ${jobs} jobs, ms`,
      added.addMs,
      `${rounded(added.addMs / insertMs, 1)} times bare rows (${insertMs})`,
    ],
    ['first start, ms', first.startMs, `${empty.startMs} without jobs`],
    ['later start, ms', later.startMs, `${empty.startMs} without jobs`],
    ['list all in pages of 100, ms', later.listMs, ''],
    ['RSS, MB', later.rssMb, `${empty.rssMb} without jobs`],
    ['CPU of an idle minute, ms', later.idleCpuMs, `${empty.idleCpuMs} without jobs`],
    [`${dueTogether.slots} slots of one second: late p50, ms`, dueTogether.lateMs.p50, ''],
    ['… p99, ms', dueTogether.lateMs.p99, ''],
    ['… CPU a slot with its run, ms', dueTogether.cpuMsPerSlot, ''],
    [`${dueApart.slots} slots, one a second: late p50, ms`, dueApart.lateMs.p50, ''],
    ['… p99, ms', dueApart.lateMs.p99, ''],
  ];
  return [
    `${date}, Node ${node}, ${platform}, ${cores} × ${cpu}`,
    '',
    table([['', '', 'beside'], ...rows.map(([what, value, beside]) => [what, String(value), beside])]),
  ].join('\n');
}

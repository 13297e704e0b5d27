/**
 * Several processes on one database: what they do together beside what one does alone, in turns.
 *
 * @module
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { commonFlags } from '../support/flags.ts';
import { machineFacts } from '../support/machine-facts.ts';
import { median, rounded } from '../support/numbers.ts';
import { inScratchFolder } from '../support/scratch.ts';
import { table } from '../support/table.ts';
import { tell } from '../support/tell.ts';
import type { ProcessResult, ProcessTask } from './child.ts';

const usage = `usage: npm run bench -- processes [--workers] [--quick] [--json] [--rounds N]

One, two and five processes on one database; each run asks a model in the process twice, and a tool once.
  --workers   instead: a gateway with 1, 2 and 4 workers on PostgreSQL, with and without pg-boss, beside one process on SQLite
  --quick     a second each: shows that it works, not what it costs
  --json      one JSON object instead of the table
  --rounds N  how often each is measured, in turns (3)`;

/** How many processes work side by side. The first is what the others are compared with. */
const sizes = [1, 2, 5];

/** As fast as they can; and as agents work, which wait for their models. */
const paces = [
  { pace: 'at once', atOnce: 8, thinkingMs: 0 },
  { pace: 'waiting', atOnce: 10, thinkingMs: 300 },
] as const;

/** One way to work, by so many processes. */
interface Measured {
  pace: string;
  synchronous: 'FULL' | 'NORMAL';
  processes: number;
  runsPerSecond: number;
  /** Times what one process does alone. */
  ratio: number;
  cpuMsPerRun: number;
  /** Of the slowest process, times the fastest one's. */
  slowestShare: number;
  maxStallMs: number;
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { ...commonFlags, rounds: { type: 'string' }, workers: { type: 'boolean' } },
  });
  if (values.help) return console.log(usage);
  if (values.workers) {
    const { measureWorkers, workersReport } = await import('./workers.ts');
    const found = await measureWorkers(
      Number(values.rounds ?? (values.quick ? 1 : 2)),
      values.quick ? 1_000 : 3_000,
    );
    const { cores } = machineFacts();
    return console.log(values.json ? JSON.stringify(found) : workersReport(found, cores));
  }
  const rounds = Number(values.rounds ?? (values.quick ? 1 : 3));
  const measured = await measure(rounds, values.quick ? 1_000 : 4_000);
  const facts = machineFacts();
  if (values.json) console.log(JSON.stringify({ machine: facts, rounds, measured }));
  else console.log(report(measured, facts.cores));
}

async function measure(rounds: number, windowMs: number): Promise<Measured[]> {
  const kinds = (['NORMAL', 'FULL'] as const).flatMap((synchronous) =>
    paces.flatMap((pace) => sizes.map((processes) => ({ ...pace, synchronous, processes }))),
  );
  const results = kinds.map(() => [] as ProcessResult[][]);
  for (let round = 0; round < rounds; round++)
    for (const [i, { synchronous, processes, atOnce, thinkingMs, pace }] of kinds.entries()) {
      tell(`round ${round + 1} of ${rounds}: ${processes} processes, ${synchronous}, ${pace}`);
      const task = { synchronous, atOnce, thinkingMs, windowMs };
      results[i]?.push(await inScratchFolder((folder) => together(processes, { ...task, folder })));
    }
  tell('');
  const rates = results.map((all) => median(all.map((one) => (sum(one, 'runs') * 1_000) / windowMs)));
  return kinds.map(({ pace, synchronous, processes }, i) => {
    const all = results[i] ?? [];
    const runs = rates[i] ?? 0;
    return {
      pace,
      synchronous,
      processes,
      runsPerSecond: rounded(runs, 1),
      ratio: rounded(runs / (rates[i - sizes.indexOf(processes)] ?? runs)),
      cpuMsPerRun: rounded(median(all.map((one) => sum(one, 'cpuMs') / sum(one, 'runs')))),
      slowestShare: rounded(
        median(
          all.map(
            (one) => Math.min(...one.map(({ runs }) => runs)) / Math.max(...one.map(({ runs }) => runs)),
          ),
        ),
      ),
      maxStallMs: rounded(median(all.map((one) => Math.max(...one.map(({ maxStallMs }) => maxStallMs)))), 0),
    };
  });
}

/** Starts the processes, has them begin together when all are warm, and waits for all of them. */
async function together(processes: number, task: ProcessTask): Promise<ProcessResult[]> {
  const script = fileURLToPath(new URL('./child.ts', import.meta.url));
  const first = await warm(script, task);
  // The first one has made the database.
  const children = [
    first,
    ...(await Promise.all(Array.from({ length: processes - 1 }, () => warm(script, task)))),
  ];
  return Promise.all(
    children.map(async (child) => {
      const ended = once(child, 'exit');
      const result = once(child, 'message');
      child.send('go');
      const [measured] = (await result) as [ProcessResult];
      await ended;
      return measured;
    }),
  );
}

async function warm(script: string, task: ProcessTask): Promise<ChildProcess> {
  const child = fork(script, [JSON.stringify(task)]);
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`a process of the bench ended with ${code}`);
    }),
  ]);
  return child;
}

function sum(results: readonly ProcessResult[], of: 'runs' | 'cpuMs'): number {
  return results.reduce((total, result) => total + result[of], 0);
}

function report(measured: readonly Measured[], cores: number): string {
  return [
    `several processes on one database, ${cores} cores`,
    '',
    table([
      [
        'synchronous',
        'runs',
        'processes',
        'runs/s',
        'of one',
        'CPU ms a run',
        'slowest of fastest',
        'longest stall ms',
      ],
      ...measured.map((one) => [
        one.synchronous,
        one.pace,
        String(one.processes),
        one.runsPerSecond.toFixed(1),
        one.ratio.toFixed(2),
        one.cpuMsPerRun.toFixed(1),
        one.slowestShare.toFixed(2),
        one.maxStallMs.toFixed(0),
      ]),
    ]),
  ].join('\n');
}

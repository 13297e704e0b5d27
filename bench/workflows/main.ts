/**
 * Many workflows that wait for a clock, on SQLite: what they cost a process that rests with them, what a start costs that
 * takes them over, and what it costs when all of them fall due at once, with a process there and without.
 *
 * @module
 */

import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureInChild } from '../support/child.ts';
import { commonFlags } from '../support/flags.ts';
import { machineFacts } from '../support/machine-facts.ts';
import { inScratchFolder } from '../support/scratch.ts';
import { table } from '../support/table.ts';
import { tell } from '../support/tell.ts';
import type { ParkedResult, ParkedTask } from './child.ts';

const usage = `usage: npm run bench -- workflows [--quick] [--json] [--count N]

Workflows parked on a timer of a month; then those that also ask a person, each of which is a second run.
  --quick    300 of them: shows that it works, not what it costs
  --json     one JSON object instead of the table
  --count N  how many (10,000)`;

interface Measured {
  kind: string;
  park: ParkedResult;
  rest: ParkedResult;
  due: ParkedResult;
  late: ParkedResult;
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { ...commonFlags, count: { type: 'string' } } });
  if (values.help) return console.log(usage);
  const count = Number(values.count ?? (values.quick ? 300 : 10_000));
  const measured: Measured[] = [];
  for (const asks of [false, true]) measured.push(await measure(count, asks));
  tell('');
  const machine = machineFacts();
  if (values.json) console.log(JSON.stringify({ machine, workflows: count, measured }));
  else console.log(report(measured, count));
}

function measure(count: number, asks: boolean): Promise<Measured> {
  const kind = asks ? 'a timer and a question' : 'a timer';
  return inScratchFolder(async (scratch) => {
    const folder = join(scratch, 'parked');
    const phase = (name: ParkedTask['phase']) => {
      tell(`${kind}: ${name}`);
      const task: ParkedTask = { folder, count, asks, phase: name };
      return measureInChild<ParkedResult>(new URL('child.ts', import.meta.url), task, ['--expose-gc']);
    };
    await mkdir(folder);
    const [park, rest] = [await phase('park'), await phase('rest')];
    const copy = join(scratch, 'copy');
    await cp(folder, copy, { recursive: true });
    const due = await phase('due');
    // Where it was: runs are not driven in a database that has moved.
    await rm(folder, { recursive: true });
    await rename(copy, folder);
    await phase('killed').then(
      () => tell(`${kind}: it was over before it could be killed`),
      (error: { signal?: string }) => {
        if (error.signal !== 'SIGKILL') throw error;
      },
    );
    return { kind, park, rest, due, late: await phase('late') };
  });
}

function report(measured: readonly Measured[], count: number): string {
  const resting = measured.map(({ kind, park, rest }) =>
    [kind, park.parkMs, rest.resumeMs, rest.beforeMb, rest.withMb].map(String),
  );
  const firing = measured.flatMap(({ kind, due, late }) =>
    [
      { when: 'while a process rests with them', of: due },
      { when: 'before a process starts, and one is killed at half', of: late },
    ].map(({ when, of }) =>
      [kind, when, of.over, of.dueMs, of.peakMb, of.once, of.never, of.twice, of.left].map(String),
    ),
  );
  return [
    `${count} workflows`,
    table([['waits for', 'park ms', 'restart ms', 'MB before', 'MB with'], ...resting]),
    '',
    table([
      [
        'waits for',
        'they fall due',
        'over at start',
        'ms',
        'MB peak',
        'fired once',
        'never',
        'twice',
        'timers left',
      ],
      ...firing,
    ]),
  ].join('\n');
}

/**
 * Many workflows that wait for a clock, on SQLite: what they cost a process that rests with them, what a start costs that
 * takes them over, and what it costs when all of them fall due at once.
 *
 * @module
 */

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
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { ...commonFlags, count: { type: 'string' } } });
  if (values.help) return console.log(usage);
  const workflows = Number(values.count ?? (values.quick ? 300 : 10_000));
  const measured: Measured[] = [];
  for (const asks of [false, true]) measured.push(await measure(workflows, asks));
  tell('');
  const machine = machineFacts();
  if (values.json) console.log(JSON.stringify({ machine, workflows, measured }));
  else console.log(report(measured, workflows));
}

function measure(workflows: number, asks: boolean): Promise<Measured> {
  const kind = asks ? 'a timer and a question' : 'a timer';
  return inScratchFolder(async (folder) => {
    const phase = (name: ParkedTask['phase']) => {
      tell(`${kind}: ${name}`);
      const task: ParkedTask = { folder, workflows, asks, phase: name };
      return measureInChild<ParkedResult>(new URL('child.ts', import.meta.url), task, ['--expose-gc']);
    };
    return { kind, park: await phase('park'), rest: await phase('rest'), due: await phase('due') };
  });
}

function report(measured: readonly Measured[], workflows: number): string {
  const rows = measured.map(({ kind, park, rest, due }) => [
    kind,
    `${park.parkMs}`,
    `${rest.resumeMs}`,
    `${rest.beforeMb}`,
    `${rest.withMb}`,
    `${due.dueMs}`,
    `${due.peakMb}`,
    `${due.fired}`,
    `${due.twice}`,
    `${due.left}`,
  ]);
  const heading = [
    'waits for',
    'park ms',
    'restart ms',
    'MB before',
    'MB with',
    'due ms',
    'MB peak',
    'fired',
    'twice',
    'left',
  ];
  return `${workflows} workflows\n${table([heading, ...rows])}`;
}

/**
 * What a run of 2, 6 and 11 answers costs on SQLite and on PostgreSQL.
 *
 * @module
 */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { administer, startPostgres } from '../../test/support/postgres.ts';
import { buildPackage } from '../support/built-package.ts';
import { measureInChild } from '../support/child.ts';
import { commonFlags } from '../support/flags.ts';
import { machineFacts } from '../support/machine-facts.ts';
import { median, rounded } from '../support/numbers.ts';
import { inScratchFolder } from '../support/scratch.ts';
import { table } from '../support/table.ts';
import type { DatabaseResult, DatabaseTask } from './child.ts';

const usage = `usage: npm run bench -- database [--quick] [--json]

Runs of 2, 6 and 11 answers, each but the last with a call of a tool, one after the other: on a SQLite file and on a PostgreSQL server that it
starts itself. Round trips, statements and bytes are counted between the process and the server, as medians of runs; processor time is that
of the process, the median of three processes in turns.
  --quick  few of all: shows that it works, not what it costs
  --json   one JSON object instead of the table`;

/** Of a run of 2 answers on PostgreSQL. */
const aims = { roundTrips: 20, statements: 32, timesSqlite: 3 };

const lengths = [2, 6, 11];

interface Row {
  answers: number;
  sqlite: DatabaseResult;
  postgres: DatabaseResult;
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: commonFlags });
  if (values.help) {
    console.log(usage);
    return;
  }
  await inScratchFolder(async (folder) => {
    const { script } = await buildPackage(folder);
    const server = await startPostgres();
    try {
      const rows: Row[] = [];
      for (const answers of lengths)
        rows.push(await measured(answers, folder, server.url, script('database/child'), values.quick));
      if (values.json) console.log(JSON.stringify({ machine: machineFacts(), rows, aims }));
      else console.log(shown(rows));
    } finally {
      await server.stop();
    }
  });
}

async function measured(
  answers: number,
  folder: string,
  urlOf: (database: string) => string,
  script: URL,
  isQuick: boolean,
): Promise<Row> {
  const workspace = join(folder, `of-${answers}`);
  await mkdir(workspace);
  const name = `of_${answers}`;
  await administer(urlOf('postgres'), `create database ${name}`);
  const places = { sqlite: { file: join(workspace, 'runs.db') }, postgres: { url: urlOf(name) } };
  const measure = (database: DatabaseTask['database'], counts: boolean) =>
    measureInChild<DatabaseResult>(script, {
      database,
      workspace,
      answers,
      warmUps: isQuick ? 2 : 30,
      runs: isQuick ? 5 : counts ? 20 : 60,
      counts,
    } satisfies DatabaseTask);
  const times: Record<keyof typeof places, number[]> = { sqlite: [], postgres: [] };
  for (let turn = 0; turn < (isQuick ? 1 : 3); turn++) {
    times.sqlite.push((await measure(places.sqlite, false)).cpuMs);
    times.postgres.push((await measure(places.postgres, false)).cpuMs);
  }
  return {
    answers,
    sqlite: { ...(await measure(places.sqlite, true)), cpuMs: median(times.sqlite) },
    postgres: { ...(await measure(places.postgres, true)), cpuMs: median(times.postgres) },
  };
}

function shown(rows: readonly Row[]): string {
  const lines = rows.flatMap(({ answers, sqlite, postgres }) => [
    [String(answers), 'SQLite', '', String(sqlite.statements), '', String(sqlite.cpuMs), ''],
    [
      String(answers),
      'PostgreSQL',
      String(postgres.roundTrips),
      String(postgres.statements),
      String(rounded(postgres.bytes / 1_000, 1)),
      String(postgres.cpuMs),
      String(rounded(postgres.cpuMs / sqlite.cpuMs)),
    ],
  ]);
  const head = ['answers', 'database', 'round trips', 'statements', 'KB', 'CPU ms', 'times SQLite'];
  return [
    table([head, ...lines]),
    '',
    `aims for 2 answers: ${aims.roundTrips} round trips, ${aims.statements} statements, ${aims.timesSqlite} times the processor time of SQLite`,
  ].join('\n');
}

/**
 * What `detent/core` weighs, and what it costs in an app: sizes of its bundle, and runs in QuickJS over the SQLite of the host.
 *
 * @module
 */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { bundleCoreFile, hermesCompiler } from '../../scripts/build/core.ts';
import { openNodeSqlite } from '../../test/support/node-sqlite.ts';
import { compileInQuickJs, openQuickJs, payingApp } from '../../test/support/quickjs.ts';
import { commonFlags } from '../support/flags.ts';
import { machineFacts } from '../support/machine-facts.ts';
import { kilobyte, median, megabyte, rounded } from '../support/numbers.ts';
import { inScratchFolder } from '../support/scratch.ts';
import { table } from '../support/table.ts';

const usage = `usage: npm run bench -- core [--quick] [--json] [--runs N]

The bundle of detent/core, minified, gzipped and as bytecode of Hermes; in QuickJS the start of an app, and runs with one call
that a person approves, over SQLite in memory of the host.
  --quick   few runs: shows that it works, not what it costs
  --json    one JSON object instead of the table
  --runs N  how many (1,000)`;

/** A run asks its model twice: for the call, and after it. */
const stepsOfRun = 2;

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { ...commonFlags, runs: { type: 'string' } } });
  if (values.help) return console.log(usage);
  const runs = Number(values.runs ?? (values.quick ? 30 : 1_000));
  const core = await bundleCoreFile('src/core/index');
  const withHttp = await bundleCoreFile('test/core/with-openai');
  const withConversations = await bundleCoreFile('test/core/with-conversations');
  const withWorkflows = await bundleCoreFile('test/core/with-workflows');
  const withSubRuns = await bundleCoreFile('test/core/with-sub-runs');
  const withAll = await bundleCoreFile('test/core/with-all');
  const sizes = await inScratchFolder(async (folder) => ({
    'detent/core': sizesOf(core.code, folder),
    'with detent/core/openai': sizesOf(withHttp.code, folder),
    'with detent/core/conversations': sizesOf(withConversations.code, folder),
    'with detent/core/sub-runs': sizesOf(withSubRuns.code, folder),
    'with detent/core/workflows': sizesOf(withWorkflows.code, folder),
    'with workflows and sub-runs': sizesOf(withAll.code, folder),
  }));
  const costs = await inQuickJs(core.code, runs);
  const machine = machineFacts();
  if (values.json) return console.log(JSON.stringify({ machine, runs, sizes, costs }));
  console.log(`${machine.platform}, ${machine.cpu}, Node ${machine.node}\n`);
  console.log(
    table([
      ['', 'minified KB', 'gzip KB', 'Hermes gzip KB'],
      ...Object.entries(sizes).map(([what, { minified, gzip, hermes }]) => [
        what,
        ...[minified, gzip, hermes].map((bytes) => String(rounded(bytes / kilobyte, 1))),
      ]),
    ]),
  );
  console.log(
    `\n${table([['in QuickJS', ''], ...Object.entries(costs).map(([what, value]) => [what, String(value)])])}`,
  );
}

function sizesOf(code: string, folder: string) {
  const [source, made] = [join(folder, 'core.js'), join(folder, 'core.hbc')];
  writeFileSync(source, code);
  execFileSync(hermesCompiler(), ['-O', '-output-source-map', '-w', '-emit-binary', '-out', made, source]);
  return {
    minified: Buffer.byteLength(code),
    gzip: gzipSync(code, { level: 9 }).length,
    hermes: gzipSync(readFileSync(made), { level: 9 }).length,
  };
}

async function inQuickJs(code: string, runs: number): Promise<Record<string, number>> {
  const starts: number[] = [];
  const [working, compiling, inert]: [number[], number[], number[]] = [[], [], []];
  const text = JSON.stringify('x'.repeat(code.length));
  // In turns, so that other work on the machine reaches all of them.
  for (let i = 0; i < 9; i++) {
    const began = performance.now();
    const app = await atWork(working, () => openQuickJs(openNodeSqlite(':memory:'), [code, payingApp]));
    starts.push(performance.now() - began);
    await app.ask('core.close()');
    app.close();
    await atWork(compiling, () => compileInQuickJs(code));
    await atWork(inert, () => compileInQuickJs(text));
  }
  const app = await openQuickJs(openNodeSqlite(':memory:'), [code, payingApp]);
  const opened = app.memoryBytes();
  const times: number[] = [];
  let early = 0;
  for (let i = 0; i < runs; i++) {
    const began = performance.now();
    await app.ask("payOnce('Pay 5.')");
    times.push((performance.now() - began) / stepsOfRun);
    if (i === Math.floor(runs * 0.3)) early = app.memoryBytes();
  }
  const late = app.memoryBytes();
  await app.ask('core.close()');
  app.close();
  const mb = (bytes: number) => rounded(bytes / megabyte, 1);
  return {
    'start of the app, ms': rounded(median(starts), 1),
    'of the processor, ms': rounded(median(working), 1),
    'of these to compile the core, ms': rounded(median(compiling), 1),
    'to compile a text as long, ms': rounded(median(inert), 1),
    'memory after the start, MB': mb(opened),
    [`memory after ${Math.floor(runs * 0.3)} runs, MB`]: mb(early),
    [`memory after ${runs} runs, MB`]: mb(late),
    'a step without its model, ms': rounded(median(times), 1),
  };
}

/** Adds the processor time of some work, in milliseconds. */
async function atWork<T>(times: number[], work: () => Promise<T>): Promise<T> {
  const before = process.cpuUsage();
  const made = await work();
  const { user, system } = process.cpuUsage(before);
  times.push((user + system) / 1000);
  return made;
}

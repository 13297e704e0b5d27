/**
 * Runs of one length on one database in a process of its own: counted on the wire, or with the processor time of the process.
 *
 * @module
 */

import type { ChatModel } from '../../src/protocol/ports.ts';
import { assemble } from '../../src/runtime/create-detent.ts';
import type { Program } from '../../src/store/program.ts';
import type { Store } from '../../src/store/store.ts';
import { answered, look } from '../support/answer.ts';
import { askedOfChild } from '../support/child.ts';
import { median, rounded } from '../support/numbers.ts';
import { type Counts, Wire } from './wire.ts';

export interface DatabaseTask {
  database: { url: string } | { file: string };
  workspace: string;
  answers: number;
  warmUps: number;
  runs: number;
  /** Whether to count, in place of the time. */
  counts: boolean;
}

export interface DatabaseResult extends Counts {
  cpuMs: number;
}

const { database, workspace, answers, warmUps, runs, counts } = askedOfChild<DatabaseTask>();

/** Statements that the store was asked for, where there is no wire. */
let asked = 0;

function* noted<T>(program: Program<T>): Program<T> {
  let step = program.next();
  while (!step.done) {
    asked++;
    step = program.next(yield step.value);
  }
  return step.value;
}

const counting = (store: Store): Store => ({
  ...(store.version && { version: () => store.version?.() ?? 0 }),
  ...(store.openPresence && { openPresence: store.openPresence.bind(store) }),
  commit: (program, key) => store.commit(() => noted(program()), key),
  query(name, input) {
    asked++;
    return store.query(name, input);
  },
  close: () => store.close(),
});

const wire = counts && 'url' in database ? new Wire(database.url) : null;
const place = wire && 'url' in database ? { url: await wire.listen(database.url) } : database;

let said = 0;
const model: ChatModel = {
  generate: async () => answered('done', ++said % answers === 0 ? undefined : 'look'),
};
const detent = assemble(
  {
    workspace,
    env: {},
    database: place,
    model: 'scripted/one',
    models: { scripted: model },
    tools: { define: [look], allowed: ['look'] },
    limits: { maxSteps: answers + 1 },
  },
  counts ? { store: counting } : {},
);

async function run(): Promise<void> {
  const { status, error } = await detent.run('Look.').result;
  if (status !== 'done') throw new Error(`run ${status}: ${error?.message}`);
}

for (let n = 0; n < warmUps; n++) await run();
const each: Counts[] = [];
const before = process.cpuUsage();
for (let n = 0; n < runs; n++) {
  const at = { ...wire?.counts, asked };
  await run();
  if (wire)
    each.push({
      roundTrips: wire.counts.roundTrips - (at.roundTrips ?? 0),
      statements: wire.counts.statements - (at.statements ?? 0),
      bytes: wire.counts.bytes - (at.bytes ?? 0),
    });
  else each.push({ roundTrips: 0, statements: asked - at.asked, bytes: 0 });
}
const { user, system } = process.cpuUsage(before);
const middle = (figure: keyof Counts) => median(each.map((one) => one[figure]));
const result: DatabaseResult = {
  roundTrips: middle('roundTrips'),
  statements: middle('statements'),
  bytes: middle('bytes'),
  cpuMs: rounded((user + system) / 1_000 / runs, 2),
};
console.log(JSON.stringify(result));
await detent.close();
wire?.close();

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/engine/clock.ts';
import { type Detent, DetentError, defineTool } from '../../src/index.ts';
import { assemble } from '../../src/runtime/create-detent.ts';
import type { Program } from '../../src/store/program.ts';
import type { Store } from '../../src/store/store.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { nextVersion } from './run-machine-next.ts';

/** One process in the life of a thousand runs. */
export interface Order {
  workspace: string;
  program: 'old' | 'new';
  /**
   * `make` starts the runs, and dies with a call in flight of some. `park` takes them over. `upgrade` takes them one by
   * one, and settles every second. `rollBack` takes all that it can and settles `settle` of them. `finish` settles all.
   */
  phase: 'make' | 'park' | 'upgrade' | 'rollBack' | 'finish';
  sessions: number;
  /** Kills the process inside the transaction of its n-th migration; 0 never. */
  killAt: number;
  settle: number;
  /** Milliseconds that this process lives later than the wall clock says. */
  later: number;
}

const order = JSON.parse(process.argv[2] ?? '{}') as Order;
const { phase } = order;

/** What kind of run a session holds, by its number: most ask a person, some wait otherwise. */
const kindOf = (session: number) =>
  session % 19 === 3 ? 'pay' : session % 19 === 7 ? 'retry' : session % 19 === 11 ? 'two' : 'send';

let recorded = 0;

function record(entry: object): void {
  recorded++;
  appendFileSync(join(order.workspace, 'ledger.jsonl'), `${JSON.stringify(entry)}\n`);
}

function unsafe(name: string, confirm: boolean) {
  return defineTool({
    name,
    description: name,
    jsonSchema: { type: 'object' },
    sideEffect: 'unsafe',
    confirm,
    run: (_, { idempotencyKey }) => {
      record({ tool: name, key: idempotencyKey });
      return phase === 'make' ? new Promise<string>(() => {}) : `${name} done`;
    },
  });
}

/** Asks for the tool that the prompt names, once; fails in a way that may pass while the runs are made. */
const model = scriptedModel(
  Array.from({ length: 10_000 }, () => ({ messages }) => {
    const last = messages.findLastIndex(({ role }) => role === 'user');
    const prompt = JSON.stringify(messages[last]);
    const isRetry = prompt.includes('retry');
    if (isRetry && phase === 'make') return { error: { retryable: true, retryAfterMs: 59_000 } };
    if (isRetry || messages.slice(last).some(({ role }) => role === 'tool')) return { text: 'finished' };
    return { toolCalls: [{ name: prompt.includes('pay') ? 'pay' : 'send', arguments: {} }] };
  }),
);

let migrations = 0;
let store: Store;
const refused: string[] = [];
const errors: unknown[] = [];

const detent = assemble(
  {
    workspace: order.workspace,
    env: {},
    model: 'test/script',
    models: { test: model },
    database: { synchronous: 'NORMAL' },
    tools: { define: [unsafe('send', true), unsafe('pay', false)] },
    clock: {
      ...systemClock,
      now: () => Date.now() + order.later,
      wakeAt: (at, wake) => systemClock.wakeAt(at - order.later, wake),
    },
    onError: (error, runId) => {
      if (DetentError.is(error) && error.code === 'MIGRATION_NEEDED') refused.push(runId);
      else errors.push(String(error));
    },
  },
  {
    host: (host) => (order.program === 'new' ? nextVersion(host) : host),
    store: (opened) => {
      store = {
        commit: (program) => opened.commit(() => watched(program())),
        query: (name, input) => opened.query(name, input),
        close: () => opened.close(),
      };
      return store;
    },
  },
);

/** Dies after the run's row has been changed, and before its migration is whole. */
function* watched<T>(program: Program<T>): Program<T> {
  let answer: unknown;
  for (;;) {
    const { done, value } = program.next(answer);
    if (done) return value as T;
    answer = yield value;
    if (value[0] === 'migrateRun' && ++migrations === order.killAt) die();
  }
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}

async function states(): Promise<string[]> {
  return (await store.query('listRuns', { tenant: 1, limit: 10_000 })).map(({ state }) => state);
}

/** Answers what the runs ask, and waits until they have ended; in small groups, as people do. */
async function settle(detent: Detent, runIds: readonly string[]): Promise<void> {
  for (let i = 0; i < runIds.length; i += 50)
    await Promise.all(runIds.slice(i, i + 50).map((runId) => settleOne(detent, runId)));
}

async function settleOne(detent: Detent, runId: string): Promise<void> {
  for (;;) {
    const { status, pending } = await detent.runs.attach(runId).result;
    if (status !== 'waiting') return;
    for (const { kind, callId } of pending)
      if (kind === 'reconcile') await detent.runs.reconcile(runId, callId, { verdict: 'ran' });
      else await detent.runs.confirm(runId, callId, { verdict: 'approve' });
  }
}

async function make(): Promise<void> {
  const began: Promise<string>[] = [];
  for (let n = 0; n < order.sessions; n++) {
    const kind = kindOf(n);
    for (const prompt of kind === 'two' ? ['send', 'send'] : [kind])
      began.push(detent.run(prompt, { sessionId: `s${n}` }).started);
    if (n % 50 === 0) await Promise.all(began);
  }
  await Promise.all(began);
  const moves = (state: string) => state.includes('requesting') || state.includes('deciding');
  // A call is on record before its tool is at work.
  const isBusy = (all: readonly string[]) =>
    all.some(moves) || all.filter((state) => state.includes('executing')).length > recorded;
  while (isBusy(await states())) await new Promise((resolve) => setTimeout(resolve, 20));
  die();
}

async function oldestFirst(): Promise<string[]> {
  const rows = await store.query('listActiveRuns', {});
  return rows.sort((a, b) => a.pk - b.pk).map(({ id }) => id);
}

async function upgrade(): Promise<void> {
  await detent.tools.list();
  for (const [i, runId] of (await oldestFirst()).entries()) {
    await detent.runs.resume({ runId });
    if (i % 2 === 0) await settleOne(detent, runId);
  }
}

async function takeAll(most: number): Promise<void> {
  await detent.runs.resume();
  const taken = async () => (await oldestFirst()).filter((runId) => !refused.includes(runId));
  await settle(detent, (await taken()).slice(0, most));
  // Those that stood behind others in their lane ask only now.
  if (phase === 'finish') await settle(detent, await taken());
}

if (phase === 'make') await make();
else if (phase === 'upgrade') await upgrade();
else await takeAll(phase === 'park' ? 0 : phase === 'rollBack' ? order.settle : Number.POSITIVE_INFINITY);
const list = await detent.runs.list({ limit: 10_000 });
await detent.close();
process.stdout.write(
  `${JSON.stringify({ refused, errors, running: list.filter(({ status, runId }) => status === 'running' && refused.includes(runId)).length })}\n`,
);

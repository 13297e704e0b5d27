import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runMachineVersion } from '../../machines/run.machine.ts';
import { createRunHost } from '../../src/agent/run-host.ts';
import type { AgentParts } from '../../src/agent/services.ts';
import { replay } from '../../src/engine/log/replay.ts';
import { pathOf } from '../../src/engine/machine/decide.ts';
import { createMachineHosts } from '../../src/engine/machine/machine-hosts.ts';
import type { Detent } from '../../src/index.ts';
import { assemble } from '../../src/runtime/create-detent.ts';
import type { EffectRow, EventRow, RunRow, TimerRow } from '../../src/store/rows.ts';
import { openSqlite } from '../../src/store/sql/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { temporaryWorkspace, tool } from '../support/detent.ts';
import { programFile } from '../support/program.ts';
import { inSizes } from '../support/size.ts';
import { nextVersion } from './run-machine-next.ts';
import type { Order } from './versions-child.ts';

/** Nineteen sessions hold twenty runs, one in a lane behind another. */
const sessions = inSizes({ usual: 38, deep: 95, full: 950 });
const runCount = (sessions / 19) * 20;
/** What of a thousand runs is so many. */
const of = (count: number) => (count * runCount) / 1_000;

const own = runMachineVersion;
const next = own + 1;

interface Report {
  signal: NodeJS.Signals | null;
  refused: string[];
  errors: string[];
  /** Refused runs that are shown as running. */
  running: number;
}

function inChild(order: Order): Promise<Report> {
  const { promise, resolve, reject } = Promise.withResolvers<Report>();
  const args = [programFile('test/runtime/versions-child'), JSON.stringify(order)];
  const spawned = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  spawned.stdout.on('data', (data: Buffer) => (stdout += data));
  spawned.stderr.on('data', (data: Buffer) => (stderr += data));
  spawned.on('close', (code, signal) => {
    if (signal === null && code !== 0) return reject(new Error(`${order.phase}: ${stderr}`));
    const said = signal === null ? JSON.parse(stdout) : { refused: [], errors: [], running: 0 };
    resolve({ ...said, signal });
  });
  return promise;
}

interface Stored {
  row: RunRow;
  events: EventRow[];
  effects: EffectRow[];
  timers: TimerRow[];
}

/** Everything that is stored of every run, by its id. */
async function stored(workspace: string): Promise<Map<string, Stored>> {
  const file = join(workspace, '.detent', 'detent.db');
  const store: Store = await openSqlite({ file, readonly: true });
  const all = new Map<string, Stored>();
  for (const row of await store.query('listRuns', { tenant: 1, limit: 10_000 })) {
    const run = row.pk;
    const events = await store.query('listEvents', { run, after: 0, limit: 10_000 });
    const effects = await store.query('listEffects', { run, after: 0 });
    all.set(row.id, { row, events, effects, timers: await store.query('listTimers', { run }) });
  }
  await store.close();
  return all;
}

function countBy<T>(items: Iterable<T>, by: (item: T) => string): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(items, by)].map(([key, group]) => [key, group.length]));
}

const stateOf = ({ row }: Stored) => pathOf(JSON.parse(row.state));
const versionOf = ({ row }: Stored) => `version ${row.version}`;
const open = ({ row }: Stored) => row.ended === 0;

it(`${runCount} parked runs go through an upgrade that is killed, a rollback and an upgrade`, async () => {
  const workspace = await temporaryWorkspace();
  const order = { workspace, sessions, killAt: 0, settle: 0, later: 0 };
  expect((await inChild({ ...order, program: 'old', phase: 'make' })).signal).toBe('SIGKILL');
  expect((await inChild({ ...order, program: 'old', phase: 'park' })).errors).toEqual([]);
  const parked = await stored(workspace);
  const parkedIn = countBy(parked.values(), stateOf);
  expect(parkedIn).toEqual({
    'active.awaitingConfirm': of(850),
    'active.reconciling': of(50),
    'active.working.thinking.backingOff': of(50),
    idle: of(50),
  });

  // By now every back-off is over.
  const later = 120_000;
  const killed = await inChild({ ...order, later, program: 'new', phase: 'upgrade', killAt: of(500) + 1 });
  expect(killed.signal).toBe('SIGKILL');
  const half = await stored(workspace);
  expect(countBy(half.values(), versionOf)).toEqual({
    [`version ${own}`]: of(500),
    [`version ${next}`]: of(500),
  });
  const untouched = [...half.values()].filter(({ row }) => row.version === own);
  for (const run of untouched) expect(run).toEqual(parked.get(run.row.id));
  const migrated = [...half.values()].filter(({ row }) => row.version === next);
  const waiting = migrated.filter(open);
  expect(waiting.length).toBeGreaterThan(of(100));

  const rolledBack = await inChild({ ...order, later, program: 'old', phase: 'rollBack', settle: of(200) });
  expect(rolledBack).toMatchObject({ signal: null, errors: [], running: 0 });
  const back = await stored(workspace);
  expect(rolledBack.refused.sort()).toEqual(waiting.map(({ row }) => row.id).sort());
  // The rollback writes only that the killed program drives them no more.
  for (const run of migrated)
    expect(back.get(run.row.id)).toEqual({
      ...run,
      row: { ...run.row, driver: run.row.ended ? run.row.driver : run.row.driver && null },
    });
  const endedOld = [...back.values()].filter(({ row }) => row.version === own && row.ended);
  expect(endedOld.length).toBeGreaterThanOrEqual(of(200));

  const finished = await inChild({ ...order, later: 2 * later, program: 'new', phase: 'finish' });
  expect(finished).toMatchObject({ signal: null, refused: [], errors: [] });
  const end = await stored(workspace);
  expect([...end.keys()].sort()).toEqual([...parked.keys()].sort());
  expect(countBy(end.values(), stateOf)).toEqual({ done: runCount });
  expect(countBy(end.values(), versionOf)).toEqual({
    [`version ${own}`]: endedOld.length,
    [`version ${next}`]: runCount - endedOld.length,
  });

  const ledger = (await readFile(join(workspace, 'ledger.jsonl'), 'utf8')).trim().split('\n');
  expect(new Set(ledger).size).toBe(ledger.length);
  expect(countBy(ledger, (line) => JSON.parse(line).tool)).toEqual({ pay: of(50), send: of(900) });

  const old = createRunHost({} as AgentParts);
  const hosts = createMachineHosts([old, nextVersion(old)]);
  let transitions = 0;
  for (const { row, events } of end.values()) {
    expect(replay(hosts, row, events)).toEqual({ diverged: null, folded: events.length });
    transitions += events.length;
  }
  console.log(
    `versions: ${parked.size} parked runs (${Object.entries(parkedIn)
      .map(([state, count]) => `${count} ${state}`)
      .join(
        ', ',
      )}); upgrade killed inside its migration ${of(500) + 1}, ${of(500)} migrated, ${waiting.length} of them still open; ` +
      `rollback refused ${rolledBack.refused.length} and ended ${endedOld.length} others; after the second upgrade ` +
      `${end.size} ended, 0 lost, ${ledger.length} tool executions, 0 twice, ${transitions} transitions replayed, 0 diverged`,
  );
}, 600_000);

/** A program with a single version of the run machine. Errors that reach no caller are in `reports`. */
function program(workspace: string, version: number, reports: string[]): Detent {
  const answers = Array.from({ length: 20 }, () => ({ messages }: { messages: readonly object[] }) => {
    const prompt = JSON.stringify(
      messages.findLast((message) => 'role' in message && message.role === 'user'),
    );
    const name = ['ask', 'hang'].find((word) => prompt.includes(word));
    return name ? { toolCalls: [{ name }] } : { text: 'hello' };
  });
  const hang = tool('hang', {
    run: (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', reject)),
  });
  const detent = assemble(
    {
      workspace,
      env: {},
      model: 'test/script',
      models: { test: scriptedModel(answers) },
      tools: { define: [tool('ask', { sideEffect: 'unsafe', confirm: true }), hang] },
      onError: (error, runId) => void reports.push(`${runId} ${(error as { code?: string }).code}`),
    },
    { host: (host) => ({ ...host, version, migrate: [] }) },
  );
  onTestFinished(() => detent.close());
  return detent;
}

it('a program that cannot drive a run shows it as it stands, and drives the others', async () => {
  const workspace = await temporaryWorkspace();
  const reports: string[] = [];
  const old = program(workspace, own, reports);
  const waiting = old.run('ask', { sessionId: 'a' });
  const { pending } = await waiting.result;
  const hanging = old.run('hang', { sessionId: 'b' });
  for await (const { type, path } of hanging.events)
    if (type === 'transition' && String(path).endsWith('executing')) break;
  await old.close();

  const newer = program(workspace, next, reports);
  await newer.runs.resume();
  expect(reports.sort()).toEqual([waiting, hanging].map(({ runId }) => `${runId} MIGRATION_NEEDED`).sort());
  const statuses = async () =>
    Object.fromEntries((await newer.runs.list()).map(({ runId, status }) => [runId, status]));
  expect(await statuses()).toEqual({ [waiting.runId]: 'waiting', [hanging.runId]: 'interrupted' });
  expect(await newer.runs.show(waiting.runId)).toMatchObject({ status: 'waiting', pending });
  expect(await newer.runs.attach(hanging.runId).result).toMatchObject({ status: 'interrupted' });
  for (const { runId } of [waiting, hanging]) {
    expect(await newer.runs.allowed(runId)).toEqual([]);
    await expect(newer.runs.cancel(runId)).rejects.toMatchObject({
      code: 'MIGRATION_NEEDED',
      message: expect.stringContaining(`run ${runId} is of version ${own} of machine "run"`),
    });
  }
  expect(await newer.run('hello', { sessionId: 'c' }).result).toMatchObject({
    status: 'done',
    text: 'hello',
  });
  expect(await newer.run('hello', { sessionId: 'a' }).result).toMatchObject({ status: 'queued' });
  await newer.close();

  const again = program(workspace, own, reports);
  await again.runs.resume({ sessionId: 'a' });
  expect(await again.runs.cancel(waiting.runId)).toBe(true);
  expect(await again.runs.show(waiting.runId)).toMatchObject({ status: 'cancelled' });
});

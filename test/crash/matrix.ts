import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { runMachine, runMachineVersion } from '../../machines/run.machine.ts';
import type { RunContext, RunOutput } from '../../machines/run.types.ts';
import type { MachineHost } from '../../src/engine/machine-host.ts';
import { replay } from '../../src/engine/replay.ts';
import type { EventRow, RunRow } from '../../src/engine/rows.ts';
import { type MockRequest, startMockProvider } from '../support/mock-provider.ts';
import { sized } from '../support/size.ts';
import { readAcknowledged, readAsked, readLedger } from './ledger.ts';
import type { ChildOrder, Command } from './order.ts';
import type { Scenario } from './scenarios.ts';

export interface MatrixResult {
  points: number;
  runs: number;
  acknowledged: number;
  effectsInLedger: number;
  uncertain: number;
  compactions: number;
  problems: string[];
}

const unsafe = new Set(['pay', 'send']);
const child = new URL('./child.ts', import.meta.url).pathname;

/** In the usual size every other boundary is one to die at: a scenario has several of each kind. */
const stride = sized(2, 1);

/** Kills a scenario at the boundaries that it passes, in turn, and looks at what is left each time. */
export async function runMatrix(scenario: Scenario): Promise<MatrixResult> {
  const result: MatrixResult = {
    points: 0,
    runs: 0,
    acknowledged: 0,
    effectsInLedger: 0,
    uncertain: 0,
    compactions: 0,
    problems: [],
  };
  const whole = await inWorkspace(
    (workspace, baseUrl) => countBoundaries(scenario, workspace, baseUrl),
    scenario,
  );
  const points = whole
    .flatMap((names, phase) => names.map((name, index) => ({ phase, index, name })))
    .filter((_, i) => i % stride === 0);
  const lanes = [0, 1].map(async (lane) => {
    for (const point of points.filter((_, i) => i % 2 === lane)) {
      await inWorkspace(async (workspace, baseUrl, requests) => {
        await crashAt(scenario, workspace, baseUrl, point, result);
        inspectImages(scenario, requests, (what) =>
          result.problems.push(`${scenario.name}, point ${point.index} (${point.name}): ${what}`),
        );
      }, scenario);
    }
  });
  await Promise.all(lanes);
  return result;
}

async function inWorkspace<T>(
  work: (workspace: string, baseUrl: string, requests: readonly MockRequest[]) => Promise<T>,
  { script }: Scenario,
): Promise<T> {
  const workspace = mkdtempSync(join(tmpdir(), 'detent-crash-'));
  const provider = await startMockProvider(script);
  try {
    return await work(workspace, provider.baseUrl, provider.requests);
  } finally {
    await provider.close();
    rmSync(workspace, { recursive: true, force: true });
  }
}

/** Every request shows the same bytes, whichever process makes it. */
function inspectImages(
  { images = [] }: Scenario,
  requests: readonly MockRequest[],
  problem: (what: string) => void,
): void {
  const urls = images.map((bytes) => `data:image/png;base64,${bytes.toString('base64')}`);
  for (const [i, { body }] of requests.entries()) {
    const expected = body.messages.some(({ role }) => role === 'tool') ? urls : urls.slice(0, 1);
    const shown = [...JSON.stringify(body).matchAll(/data:image\/png;base64,[\w+/]+=*/g)].map(([url]) => url);
    if (shown.join() !== expected.join()) problem(`request ${i} shows ${shown.length} images, or others`);
  }
}

/** The boundaries of each phase when nothing is killed. */
async function countBoundaries(scenario: Scenario, workspace: string, baseUrl: string): Promise<string[][]> {
  const phases: string[][] = [];
  for (const commands of scenario.phases) {
    const { code, stdout, stderr } = await spawnChild(scenario, workspace, baseUrl, commands, -1);
    if (code !== 0) throw new Error(`scenario "${scenario.name}" fails without a crash: ${stderr}`);
    phases.push(JSON.parse(stdout.trim().split('\n').at(-1) ?? '[]') as string[]);
  }
  return phases;
}

async function crashAt(
  scenario: Scenario,
  workspace: string,
  baseUrl: string,
  point: { phase: number; index: number; name: string },
  result: MatrixResult,
): Promise<void> {
  const problem = (what: string) =>
    result.problems.push(
      `${scenario.name}, phase ${point.phase}, point ${point.index} (${point.name}): ${what}`,
    );
  for (const [phase, commands] of scenario.phases.entries()) {
    if (phase > point.phase) break;
    const killAt = phase === point.phase ? point.index : -1;
    const { signal, stderr, code } = await spawnChild(scenario, workspace, baseUrl, commands, killAt);
    if (killAt >= 0 && signal !== 'SIGKILL') {
      // Parallel work may pass a boundary more or less; then there is nothing to look at.
      if (code !== 0) problem(`phase failed: ${stderr}`);
    }
  }
  result.points++;
  const interrupted = unsafeInFlight(workspace);
  const rest: Command[] = madeRuns(workspace)
    ? [{ do: 'settle' }]
    : [...scenario.phases.flat(), { do: 'settle' }];
  const { code, stderr } = await spawnChild(scenario, workspace, baseUrl, rest, -1);
  if (code !== 0) problem(`could not be carried on: ${stderr}`);
  inspect(scenario, workspace, interrupted, result, problem);
}

interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

function spawnChild(
  scenario: Scenario,
  workspace: string,
  baseUrl: string,
  commands: Command[],
  killAt: number,
): Promise<Finished> {
  const order: ChildOrder = {
    workspace,
    baseUrl,
    commands,
    killAt,
    contextWindow: scenario.contextWindow ?? 100_000,
    isFirstModelDown: scenario.isFirstModelDown ?? false,
    sharesBudget: scenario.sharesBudget ?? false,
    synchronous: 'FULL',
  };
  const process_: ChildProcess = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', child, JSON.stringify(order)],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Hundreds of processes start here: what one has compiled, the others need not.
      env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'detent-compile-cache') },
    },
  );
  let stdout = '';
  let stderr = '';
  process_.stdout?.on('data', (data: Buffer) => (stdout += data));
  process_.stderr?.on('data', (data: Buffer) => (stderr += data));
  const tooLong = setTimeout(() => process_.kill('SIGKILL'), 60_000);
  return new Promise((resolve) => {
    process_.on('close', (code, signal) => {
      clearTimeout(tooLong);
      resolve({ code, signal, stdout, stderr });
    });
  });
}

function openDatabase(workspace: string): Sqlite.Database | null {
  const file = join(workspace, '.detent', 'detent.db');
  return existsSync(file) ? new Sqlite(file, { readonly: true }) : null;
}

function madeRuns(workspace: string): boolean {
  const db = openDatabase(workspace);
  if (!db) return false;
  try {
    const table = db.prepare("select 1 from sqlite_master where name = 'runs'").get();
    return table !== undefined && db.prepare('select 1 from runs').get() !== undefined;
  } finally {
    db.close();
  }
}

/** Unsafe calls that were marked as started when the process died: nobody knows whether they ran. */
function unsafeInFlight(workspace: string): string[] {
  const db = openDatabase(workspace);
  if (!db || !madeRuns(workspace)) return [];
  try {
    const rows = db
      .prepare(
        "select runs.id, runs.context, effects.n from effects join runs on runs.pk = effects.run_pk where effects.status = 'started' and effects.name = 'effect.runTool'",
      )
      .all() as { id: string; context: string; n: number }[];
    return rows.flatMap(({ id, context, n }) => {
      const { pending } = JSON.parse(context) as RunContext;
      return pending.find((call) => call.id === n)?.class === 'unsafe' ? [`${id}:${n}`] : [];
    });
  } finally {
    db.close();
  }
}

function inspect(
  scenario: Scenario,
  workspace: string,
  interrupted: string[],
  result: MatrixResult,
  problem: (what: string) => void,
): void {
  const db = openDatabase(workspace);
  if (!db) {
    problem('there is no database');
    return;
  }
  const ledger = readLedger(workspace);
  const asked = readAsked(workspace).filter(({ kind }) => kind === 'reconcile');
  const runs = db.prepare('select * from runs order by pk').all() as (Record<string, unknown> & {
    pk: number;
    id: string;
    output: string | null;
  })[];
  result.runs += runs.length;
  result.effectsInLedger += ledger.length;
  result.uncertain += asked.length;

  for (const run of runs) {
    const output = JSON.parse(run.output ?? 'null') as RunOutput | null;
    if (!output || !scenario.outcomes.includes(output.outcome)) problem(`a run ended as ${run.output}`);
  }

  for (const key of new Set(ledger.filter(({ tool }) => unsafe.has(tool)).map((entry) => entry.key))) {
    const times = ledger.filter((entry) => entry.key === key).length;
    if (times > 1) problem(`unsafe call ${key} ran ${times} times`);
  }
  for (const { key } of ledger) {
    const [runId, n] = key.split(':');
    const row = db
      .prepare('select 1 from effects join runs on runs.pk = effects.run_pk where runs.id = ? and n = ?')
      .get(runId, Number(n));
    if (!row) problem(`call ${key} ran without a committed row`);
  }
  const askedKeys = asked.map(({ runId, callId }) => `${runId}:${callId.slice(1)}`);
  for (const key of interrupted)
    if (!askedKeys.includes(key)) problem(`nobody was asked about ${key}, whose fate is unknown`);
  for (const key of askedKeys)
    if (!interrupted.includes(key)) problem(`somebody was asked about ${key}, which was not in flight`);

  const open = db
    .prepare("select count(*) from effects where status not in ('done', 'cancelled')")
    .pluck()
    .get();
  if (open !== 0) problem(`${open} effects are still open`);
  const timers = db.prepare('select count(*) from timers').pluck().get();
  if (timers !== 0) problem(`${timers} timers are left`);
  for (const { runId, seq, path } of readAcknowledged(workspace)) {
    result.acknowledged++;
    const stored = db
      .prepare(
        'select path from run_events join runs on runs.pk = run_events.run_pk where runs.id = ? and run_events.seq = ?',
      )
      .pluck()
      .get(runId, seq);
    if (stored !== path) problem(`acknowledged transition ${seq} of ${runId} (${path}) is ${stored}`);
  }
  for (const run of runs) {
    const events = db
      .prepare('select seq, type, body, at, path, hash from run_events where run_pk = ? order by seq')
      .all(run.pk) as EventRow[];
    const host = {
      id: 'run',
      version: runMachineVersion,
      machine: runMachine,
      effects: hostEffects,
      rows: hostRows,
    } as unknown as MachineHost;
    const { diverged } = replay(host, { ...run, ended: 1 } as unknown as RunRow, events);
    if (diverged) problem(`the log of ${run.id} diverges at ${JSON.stringify(diverged)}`);
  }
  inspectCare(db, workspace, scenario, result, problem);
  inspectSpending(db, scenario, problem);
  if (db.pragma('integrity_check', { simple: true }) !== 'ok') problem('the database is damaged');
  db.close();
}

/** Before every compaction stands a flush in the log, and what each wrote is in the diary once. */
function inspectCare(
  db: Sqlite.Database,
  workspace: string,
  scenario: Scenario,
  result: MatrixResult,
  problem: (what: string) => void,
): void {
  const rows = db
    .prepare(
      'select runs.id, e.seq, e.type, e.body from run_events e join runs on runs.pk = e.run_pk order by e.run_pk, e.seq',
    )
    .all() as { id: string; seq: number; type: string; body: string }[];
  for (const type of scenario.passes ?? [])
    if (!rows.some((row) => row.type === type)) problem(`there is no ${type} in the log`);
  const isFlush = ({ type }: { type: string }) => type === 'flush.done' || type === 'flush.failed';
  let flushed = '';
  for (const row of rows) {
    if (isFlush(row)) flushed = row.id;
    if (row.type !== 'compact.done') continue;
    result.compactions++;
    if (flushed !== row.id) problem(`transition ${row.seq} of ${row.id} compacts without a flush`);
    flushed = '';
  }
  const written = readDiary(workspace).matchAll(/<!-- (\S+) -->/g);
  const keys = [...written].map(([, key]) => key);
  for (const key of new Set(keys)) {
    const times = keys.filter((one) => one === key).length;
    if (times > 1) problem(`the diary has entry ${key} ${times} times`);
  }
  for (const row of rows.filter(({ type }) => type === 'flush.done')) {
    const { effectId, lines } = JSON.parse(row.body) as { effectId: number; lines?: number };
    if (lines && !keys.includes(`${row.id}:${effectId}`))
      problem(`what flush ${effectId} wrote is not in the diary`);
  }
}

/** What the runs have counted is what the ledger has, each call once, and what their budget has spent; nothing is held. */
function inspectSpending(db: Sqlite.Database, scenario: Scenario, problem: (what: string) => void): void {
  const runs = db.prepare('select id, context from runs').all() as { id: string; context: string }[];
  let spent = 0;
  for (const { id, context } of runs) {
    const { tokensIn, tokensOut } = JSON.parse(context) as RunContext;
    const counted = db
      .prepare(
        'select coalesce(sum(input_tokens), 0) i, coalesce(sum(output_tokens), 0) o from usage where run_id = ?',
      )
      .get(id) as { i: number; o: number };
    if (counted.i !== tokensIn || counted.o !== tokensOut)
      problem(
        `run ${id} counts ${tokensIn} and ${tokensOut} tokens, the ledger ${counted.i} and ${counted.o}`,
      );
    spent += counted.i + counted.o;
  }
  if (db.prepare('select 1 from budget_holds').get()) problem('a budget is still held');
  if (!scenario.sharesBudget) return;
  const taken = db.prepare('select sum(spent_tokens) from budgets').pluck().get();
  if (taken !== spent) problem(`the budget has spent ${taken} tokens, its runs ${spent}`);
}

function readDiary(workspace: string): string {
  const folder = join(workspace, 'memory');
  if (!existsSync(folder)) return '';
  return readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
}

const known = (...names: string[]) => Object.fromEntries(names.map((name) => [name, {}]));
const hostEffects = known('effect.callModel', 'effect.runTool', 'effect.flush', 'effect.compact');
const hostRows = known('confirm.request', 'call.close');

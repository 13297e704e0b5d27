import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { RunContext, RunOutput } from '../../machines/run.types.ts';
import type { RunOptions } from '../../src/store/run-options.ts';
import { countLeft, databaseOf, inspectLogs } from './harness/inspect-rows.ts';
import type { World } from './harness/matrix.ts';
import { openRows, type Rows } from './harness/rows.ts';
import { readAcknowledged, readAsked, readLedger } from './ledger.ts';
import type { MatrixResult } from './matrix.ts';
import { runHost } from './run-host.ts';
import type { Scenario } from './scenarios.ts';

const unsafe = new Set([
  'pay',
  'send',
  'shell',
  'mcp__plain__write',
  'mcp__plain__look',
  'mcp__trusted__write',
]);

/** What a killed process has left: whether it has come to make a run at all, and its {@link unsafeInFlight unsafe calls}. */
export async function leftBy(world: World): Promise<{ hasRuns: boolean; interrupted: readonly string[] }> {
  const rows = openRows(world);
  try {
    const [run] = await rows.all('select 1 from runs limit 1');
    return { hasRuns: run !== undefined, interrupted: await unsafeInFlight(rows) };
  } finally {
    await rows.close();
  }
}

/** Unsafe calls that were marked as started when the process died: it is unknown whether they ran. */
async function unsafeInFlight(rows: Rows): Promise<string[]> {
  const started = await rows.all(
    "select runs.id, runs.context, effects.n from effects join runs on runs.pk = effects.run_pk where effects.status = 'started' and effects.name = 'effect.runTool'",
  );
  return started.flatMap(({ id, context, n }) => {
    const { pending }: RunContext = JSON.parse(String(context));
    return pending.find((call) => call.id === Number(n))?.class === 'unsafe' ? [`${id}:${n}`] : [];
  });
}

/** What must hold when everything has come to its end, whatever was killed. */
export function inspect(
  scenario: Scenario,
  workspace: string,
  /** The unsafe calls that people must have been asked about; null if that is not known. */
  interrupted: readonly string[] | null,
  result: MatrixResult,
  problem: (what: string) => void,
): void {
  const db = new Sqlite(databaseOf(workspace), { readonly: true });
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

  if (scenario.runs !== undefined && runs.length !== scenario.runs)
    problem(`there are ${runs.length} runs, not ${scenario.runs}`);
  for (const run of runs) {
    const output = JSON.parse(run.output ?? 'null') as RunOutput | null;
    if (!output || !scenario.outcomes.includes(output.outcome)) problem(`a run ended as ${run.output}`);
  }
  inspectLedger(db, ledger, result, problem);
  for (const text of scenario.results ?? []) {
    const times = db
      .prepare("select count(*) from messages where role = 'tool' and instr(body, ?) > 0")
      .pluck()
      .get(text);
    if (times !== 1) problem(`${times} results have "${text}"`);
  }
  const askedKeys = asked.map(({ runId, callId }) => `${runId}:${callId.slice(1)}`);
  for (const key of interrupted ?? [])
    if (!askedKeys.includes(key)) problem(`nobody was asked about ${key}, whose fate is unknown`);
  for (const key of askedKeys)
    if (interrupted && !interrupted.includes(key))
      problem(`somebody was asked about ${key}, which was not in flight`);

  for (const what of ['effects', 'timers'] as const) countLeft(db, what, problem);
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
  inspectLogs(db, () => runHost, problem);
  inspectCare(db, workspace, scenario, result, problem);
  inspectSpending(db, scenario, problem);
  if (db.pragma('integrity_check', { simple: true }) !== 'ok') problem('the database is damaged');
  db.close();
}

/** No unsafe call ran twice, and none without a committed row. */
function inspectLedger(
  db: Sqlite.Database,
  ledger: ReturnType<typeof readLedger>,
  result: MatrixResult,
  problem: (what: string) => void,
): void {
  const calls = Map.groupBy(ledger, ({ key }) => key);
  result.repeats += ledger.length - calls.size;
  for (const [key, entries] of calls) {
    if (entries.length > 1 && entries.some(({ tool }) => unsafe.has(tool)))
      problem(`unsafe call ${key} ran ${entries.length} times`);
    const [runId, n] = key.split(':');
    const row =
      n === undefined
        ? // The input of a settled effect is cleared. Its arguments stay in the answer, a row of the same commit.
          db.prepare("select 1 from messages where role = 'assistant' and instr(body, ?) > 0").get(key)
        : db
            .prepare(
              'select 1 from effects join runs on runs.pk = effects.run_pk where runs.id = ? and n = ?',
            )
            .get(runId, Number(n));
    if (!row) problem(`call ${key} ran without a committed row`);
  }
}

/** Checks that the log has a flush before every compaction, and that the diary has the lines of each flush once. */
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

/**
 * What the runs have counted is what the ledger has, each call once, with what their tasks have counted, and what their
 * budget has spent; nothing is held.
 */
function inspectSpending(db: Sqlite.Database, scenario: Scenario, problem: (what: string) => void): void {
  const rows = db.prepare('select id, context, options from runs').all() as Record<
    'id' | 'context' | 'options',
    string
  >[];
  const runs = rows.map(({ id, context, options }) => ({
    id,
    ...(JSON.parse(context) as RunContext),
    parent: (JSON.parse(options) as RunOptions).parentRunId,
  }));
  let spent = 0;
  for (const { id, tokensIn, tokensOut, end } of runs) {
    const own = db
      .prepare(
        'select coalesce(sum(input_tokens), 0) tokensIn, coalesce(sum(output_tokens), 0) tokensOut from usage where run_id = ?',
      )
      .get(id) as { tokensIn: number; tokensOut: number };
    spent += own.tokensIn + own.tokensOut;
    // One that was cancelled did not wait for what its tasks would cost.
    const tasks = runs.filter(({ parent }) => parent === id && end?.outcome !== 'cancelled');
    const sum = (of: 'tokensIn' | 'tokensOut') => tasks.reduce((all, task) => all + task[of], own[of]);
    if (sum('tokensIn') !== tokensIn || sum('tokensOut') !== tokensOut)
      problem(
        `run ${id} counts ${tokensIn} and ${tokensOut} tokens, the ledger ${sum('tokensIn')} and ${sum('tokensOut')}`,
      );
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

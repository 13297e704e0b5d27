import Sqlite from 'better-sqlite3';
import type { RunRow } from '../../../src/store/rows.ts';
import type { FlowOutput } from '../../../src/store/stored-run.ts';
import { Workflows } from '../../../src/workflow/registry.ts';
import type { Workflow } from '../../../src/workflow/workflow.ts';
import { countLeft, databaseOf, inspectLogs } from '../harness/inspect-rows.ts';
import type { Problem } from '../harness/matrix.ts';
import { readAsked, readLives, readWork } from '../ledger.ts';
import { callHost, runHost } from '../run-host.ts';
import type { WorkflowMatrixResult, WorkflowWorld } from './matrix.ts';
import type { WorkflowScenario } from './scenarios.ts';

type Run = RunRow & { pk: number };

/** What must hold when a workflow has ended, whatever was killed. */
export function inspectWorkflow(
  scenario: WorkflowScenario,
  { isAtRest, ...world }: WorkflowWorld & { workflow: Workflow },
  result: WorkflowMatrixResult,
  problem: Problem,
): void {
  const { workspace, workflow } = world;
  const hosts = [...new Workflows([workflow]).hosts({} as never), runHost, callHost];
  const db = new Sqlite(databaseOf(workspace), { readonly: true });
  try {
    const runs = db.prepare('select * from runs order by pk').all() as Run[];
    const deaths = readLives(workspace).filter(({ what }) => what === 'death').length;
    result.kills += deaths;
    if (deaths === 0 && !isAtRest) result.notReached++;
    result.runs += runs.length;
    result.asked += readAsked(workspace).length;
    inspectEnd(scenario, runs, result, problem);
    inspectRest(db, result, problem);
    inspectEffects(scenario, world, { runs, deaths, result }, problem);
    result.timers += inspectTimers(db, scenario, problem);
    const hostOf = (run: RunRow) => hosts.find(({ id }) => id === run.machine);
    inspectLogs(db, hostOf, problem);
  } finally {
    db.close();
  }
}

/** It has ended as its script says, once, and so have its children. */
function inspectEnd(
  { workflow, expected }: WorkflowScenario,
  runs: readonly Run[],
  result: WorkflowMatrixResult,
  problem: Problem,
): void {
  const roots = runs.filter(({ options }) => JSON.parse(options).parentRunId === undefined);
  if (roots.length !== 1) problem(`there are ${roots.length} workflows`);
  for (const root of roots) {
    const { outcome, output } = JSON.parse(root.output ?? '{}') as Partial<FlowOutput>;
    if (outcome !== 'done' || JSON.stringify(output) !== JSON.stringify(expected.output))
      problem(`${workflow.id} ended as ${root.output}, not ${JSON.stringify(expected.output)}`);
  }
  for (const { id, ended } of runs) {
    if (ended === 1) continue;
    result.lost++;
    problem(`run ${id} has not ended`);
  }
}

/** Nothing is left open, and nothing was given up because its processes died. */
function inspectRest(db: Sqlite.Database, result: WorkflowMatrixResult, problem: Problem): void {
  for (const what of ['effects', 'commands', 'timers', 'questions'] as const)
    result.left += countLeft(db, what, problem);
  result.poisoned += countLeft(db, 'poisoned', problem);
}

/** Each effect took place as often as the script says; again only under its key, after a death, and never if it is unsafe. */
function inspectEffects(
  { expected, classes = {} }: WorkflowScenario,
  { workspace, site }: WorkflowWorld,
  { runs, deaths, result }: { runs: readonly Run[]; deaths: number; result: WorkflowMatrixResult },
  problem: Problem,
): void {
  const work = readWork(workspace);
  for (const [name, count] of Object.entries(expected.effects)) {
    const keys = new Set(
      work.filter((one) => one.name === name && one.what === 'done').map(({ key }) => key),
    );
    result.lost += Math.max(0, count - keys.size);
    if (keys.size !== count)
      problem(`${name} took effect under ${keys.size} keys, not ${count}: ${[...keys]}`);
  }
  for (const [key, done] of Map.groupBy(work, ({ key }) => key)) {
    const name = done[0]?.name ?? '';
    const times = done.filter(({ what }) => what === 'done').length;
    const isUnsafe = name === 'refund_payment' || classes[name] === 'unsafe';
    if (!runs.some(({ id }) => key.startsWith(`${id}:`))) problem(`${name} had the key ${key} of no run`);
    if (times > 1) result[isUnsafe ? 'unsafeTwice' : 'repeats']++;
    if (times > 1 + (isUnsafe ? 0 : deaths))
      problem(`${name} took effect ${times} times under the key ${key}`);
  }
  const keys = new Set(site.taken);
  if (keys.size !== (expected.effects.deliver ?? 0)) problem(`the site took ${[...keys]}`);
  if (site.taken.length > keys.size + deaths) problem(`the site took ${site.taken.length} times`);
}

/** Each timer fired once: an `after` again only in a state that was entered again, and so no sooner than its delay. */
function inspectTimers(
  db: Sqlite.Database,
  { expected, delays = {} }: WorkflowScenario,
  problem: Problem,
): number {
  const fired = db
    .prepare(
      "select run_pk as run, type, at from run_events where type like 'xstate.after.%' or type like 'flow.%' order by run_pk, seq",
    )
    .all() as { run: number; type: string; at: number }[];
  for (const [delay, [least, most]] of Object.entries(expected.fires ?? {})) {
    const all = fired.filter(({ type }) => type.startsWith(`xstate.after.${delay}.`));
    if (all.length < least || all.length > most) problem(`${delay} fired ${all.length} times`);
    const soon = all.some(({ at }, i) => i > 0 && at - (all[i - 1]?.at ?? 0) < (delays[delay] ?? 0));
    if (soon) problem(`${delay} fired too soon: ${all.map(({ at }) => at)}`);
  }
  const once = Map.groupBy(
    fired.filter(({ type }) => type.startsWith('flow.')),
    ({ run, type }) => `${run} ${type}`,
  );
  for (const [timer, { length }] of once) if (length > 1) problem(`timer ${timer} fired ${length} times`);
  return fired.length;
}

import { afterAll, describe, expect, it } from 'vitest';
import { inSizes, isFullSize } from '../support/size.ts';
import { addTo } from './harness/cases.ts';
import { type Point, type Result, runMatrix, type Suite, type World } from './harness/matrix.ts';
import { jobSuite } from './jobs/matrix.ts';
import { jobScenarios } from './jobs/scenarios.ts';
import { runSuite } from './matrix.ts';
import { onServer } from './postgres.ts';
import { scenarios } from './scenarios.ts';
import { toolScenarios } from './tool-scenarios.ts';
import { workflowSuite } from './workflows/matrix.ts';
import { workflowScenarios } from './workflows/scenarios.ts';

/** Those that start no processes of their own: what becomes of these does not depend on the database. */
const ofRuns = [...scenarios, ...toolScenarios].filter(
  ({ startsProcesses, sandbox }) => !startsProcesses && !sandbox,
);

describe('on PostgreSQL, a process killed at every boundary of', () => {
  killAll('runs', runSuite(), ofRuns);
  killAll('jobs', jobSuite, jobScenarios);
  killAll('workflows', workflowSuite, workflowScenarios);
});

/**
 * One of them every day, a few deep. At the full size each dies on SQLite as well, at the same kinds of boundaries. On a server there are
 * more of them: another process may drive a new run, so effects start in commits of their own.
 */
function killAll<S extends { name: string }, W extends World, R extends Result>(
  what: string,
  suite: Suite<S, W, R>,
  all: readonly S[],
): void {
  const every = inSizes({ usual: all.length, deep: 20, full: 1 });
  const totals = { SQLite: suite.emptyResult(), PostgreSQL: suite.emptyResult() };
  it.each(all.filter((_, i) => i % every === 0))(`${what}: $name`, async (scenario) => {
    const server = await killed(onServer(suite), scenario);
    addTo(totals.PostgreSQL, server.result);
    expect(server.result.problems).toEqual([]);
    expect(server.result.points).toBeGreaterThan(0);
    if (!isFullSize) return;
    const file = await killed(suite, scenario);
    addTo(totals.SQLite, file.result);
    print(scenario.name, { SQLite: file.result, PostgreSQL: server.result });
    expect(file.result.problems).toEqual([]);
    expect(server.kinds).toEqual(file.kinds);
  });
  afterAll(() => print(`crash matrix of ${what}`, totals));
}

/** @returns what was left, and the kinds of boundaries that there are */
async function killed<S extends { name: string }, W extends World, R extends Result>(
  suite: Suite<S, W, R>,
  scenario: S,
): Promise<{ result: R; kinds: string[] }> {
  let kinds: string[] = [];
  const choose = (all: readonly Point[]) => {
    kinds = [...new Set(all.map(({ phase, name }) => `${phase} ${name}`))].toSorted();
    return all;
  };
  const result = await runMatrix(isFullSize ? { ...suite, choose } : suite, scenario);
  return { result, kinds };
}

/** What was left on each database. */
function print(of: string, results: Record<string, Result>): void {
  for (const [database, result] of Object.entries(results)) {
    const counts = Object.entries(result).map(
      ([name, value]) => `${Array.isArray(value) ? value.length : value} ${name}`,
    );
    if (result.points > 0) console.log(`${of} on ${database}: ${counts.join(', ')}`);
  }
}

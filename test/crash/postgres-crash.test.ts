import { describe, expect, it } from 'vitest';
import { inSizes } from '../support/size.ts';
import { type Result, runMatrix, type Suite, type World } from './harness/matrix.ts';
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

/** One of them every day, a fifth deep. */
function killAll<S extends { name: string }, W extends World, R extends Result>(
  what: string,
  suite: Suite<S, W, R>,
  all: readonly S[],
): void {
  const every = inSizes({ usual: all.length, deep: 9, full: 1 });
  it.each(all.filter((_, i) => i % every === 0))(`${what}: $name`, async (scenario) => {
    const { problems, points } = await runMatrix(onServer(suite), scenario);
    expect(problems).toEqual([]);
    expect(points).toBeGreaterThan(0);
  });
}

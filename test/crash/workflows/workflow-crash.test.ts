import { afterAll, describe, expect, it } from 'vitest';
import { inSizes } from '../../support/size.ts';
import { addTo, casesOf, minPoints } from '../harness/cases.ts';
import { runMatrix } from '../harness/matrix.ts';
import { runNights, type WorkflowMatrixResult, workflowSuite } from './matrix.ts';
import { workflowScenarios } from './scenarios.ts';

const totals = new Map<string, WorkflowMatrixResult>();

describe('workflows whose process is killed at every boundary', () => {
  for (const { scenario, processes, title } of casesOf(workflowScenarios))
    it.concurrent(title, async ({ expect }) => {
      const result = await runMatrix(workflowSuite, scenario, processes);
      count(processes === 1 ? 'one process' : 'three processes', result);
      expect(result.problems).toEqual([]);
      expect(result.points).toBeGreaterThanOrEqual(minPoints);
    });
});

describe('workflows whose process dies each time that they wait for a person', () => {
  const waiting = workflowScenarios.filter(({ asksToPay }) => asksToPay);
  it.each(waiting)('$name', async (scenario) => {
    const result = await runNights(scenario, inSizes({ usual: 1, deep: 3, full: 12 }));
    count('at rest', result);
    expect(result.problems).toEqual([]);
  });
});

function count(where: string, result: WorkflowMatrixResult): void {
  const total = totals.get(where) ?? workflowSuite.emptyResult();
  totals.set(where, total);
  addTo(total, result);
}

afterAll(() => {
  for (const [where, total] of totals) {
    const { points, notReached, kills, runs, repeats, asked, timers } = total;
    const { lost, unsafeTwice, poisoned, left, problems } = total;
    console.log(
      `crash matrix of workflows, ${where}: ${points} points (${notReached} not reached), ${kills} kills, ${runs} runs, ` +
        `${lost} lost, ${unsafeTwice} unsafe twice, ${poisoned} poisoned, ${left} left open, ${problems.length} problems; ` +
        `${repeats} effects repeated under their key, ${asked} unknown outcomes put to a person, ${timers} timers fired`,
    );
  }
});

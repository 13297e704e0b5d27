import { afterAll, describe, expect, it } from 'vitest';
import { inSizes } from '../../support/size.ts';
import { emptyWorkflowResult, runNights, runWorkflowMatrix, type WorkflowMatrixResult } from './matrix.ts';
import { workflowScenarios } from './scenarios.ts';

const totals = new Map<string, WorkflowMatrixResult>();

/** At the usual size every other scenario has three processes. */
const cases = [1, 3].flatMap((processes) =>
  workflowScenarios
    .filter((_, i) => inSizes({ usual: i % 2 === (processes === 1 ? 0 : 1), deep: true, full: true }))
    .map((scenario) => ({ scenario, processes })),
);

describe('workflows whose process is killed at every boundary', () => {
  for (const { scenario, processes } of cases)
    it.concurrent(`${scenario.name}, ${processes === 1 ? 'alone' : 'one of three'}`, async ({ expect }) => {
      const result = await runWorkflowMatrix(scenario, processes);
      count(processes === 1 ? 'one process' : 'three processes', result);
      expect(result.problems).toEqual([]);
      expect(result.points).toBeGreaterThanOrEqual(inSizes({ usual: 1, deep: 3, full: 10 }));
    });
});

describe('workflows whose process dies each time that they wait for a person', () => {
  const waiting = workflowScenarios.filter(({ asksToPay }) => asksToPay);
  it.each(waiting)('$name', async (scenario) => {
    const result = await runNights(scenario, inSizes({ usual: 4, deep: 6, full: 12 }));
    count('at rest', result);
    expect(result.problems).toEqual([]);
  });
});

function count(where: string, result: WorkflowMatrixResult): void {
  const total = totals.get(where) ?? emptyWorkflowResult();
  totals.set(where, total);
  for (const [name, value] of Object.entries(result))
    if (typeof value === 'number') total[name as Exclude<keyof WorkflowMatrixResult, 'problems'>] += value;
  total.problems.push(...result.problems);
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

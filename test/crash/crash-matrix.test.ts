import { afterAll, describe, expect, it } from 'vitest';
import { type MatrixResult, runMatrix } from './matrix.ts';
import { scenarios } from './scenarios.ts';

const total: MatrixResult = {
  points: 0,
  runs: 0,
  acknowledged: 0,
  effectsInLedger: 0,
  uncertain: 0,
  compactions: 0,
  problems: [],
};

describe('a process killed at every boundary of', () => {
  for (const scenario of scenarios)
    it(scenario.name, async () => {
      const result = await runMatrix(scenario);
      total.points += result.points;
      total.runs += result.runs;
      total.acknowledged += result.acknowledged;
      total.effectsInLedger += result.effectsInLedger;
      total.uncertain += result.uncertain;
      total.compactions += result.compactions;
      expect(result.problems).toEqual([]);
      expect(result.points).toBeGreaterThan(3);
    });

  afterAll(() => {
    console.log(
      `crash matrix: ${scenarios.length} scenarios, ${total.points} kills, ${total.runs} runs ended, ${total.acknowledged} acknowledged transitions (0 lost), ` +
        `${total.effectsInLedger} tool executions (0 unsafe ones twice), ${total.uncertain} unknown outcomes, each put to a person, ${total.compactions} compactions (each after a recorded flush)`,
    );
  });
});

import { afterAll, describe, it } from 'vitest';
import { addTo, casesOf, minPoints } from '../harness/cases.ts';
import { runMatrix } from '../harness/matrix.ts';
import { jobSuite } from './matrix.ts';
import { jobScenarios } from './scenarios.ts';

const total = jobSuite.emptyResult();

describe('jobs whose process is killed at every boundary', () => {
  for (const { scenario, processes, title } of casesOf(jobScenarios))
    it.concurrent(title, async ({ expect }) => {
      const result = await runMatrix(jobSuite, scenario, processes);
      addTo(total, result);
      expect(result.problems).toEqual([]);
      expect(result.points).toBeGreaterThanOrEqual(minPoints);
    });
});

afterAll(() => {
  const { points, kills, slots, runs, deliveries, repeats } = total;
  console.log(
    `crash matrix of jobs: ${points} points, ${kills} kills, ${slots} slots (each on record once), ${runs} runs (one for each slot that ran), ` +
      `${deliveries} deliveries (0 lost, ${repeats} taken twice, each because its sender was killed)`,
  );
});

import { afterAll, describe, it } from 'vitest';
import { inSizes } from '../../support/size.ts';
import { emptyJobResult, runJobMatrix } from './matrix.ts';
import { jobScenarios } from './scenarios.ts';

const total = emptyJobResult();

/** At the usual size every other scenario has three processes. */
const cases = [1, 3].flatMap((processes) =>
  jobScenarios
    .filter((_, i) => inSizes({ usual: i % 2 === (processes === 1 ? 0 : 1), deep: true, full: true }))
    .map((scenario) => ({ scenario, processes })),
);

describe('jobs whose process is killed at every boundary', () => {
  for (const { scenario, processes } of cases)
    it.concurrent(`${scenario.name}, ${processes === 1 ? 'alone' : 'one of three'}`, async ({ expect }) => {
      const result = await runJobMatrix(scenario, processes);
      for (const [name, value] of Object.entries(result))
        if (typeof value === 'number') total[name as Exclude<keyof typeof total, 'problems'>] += value;
      expect(result.problems).toEqual([]);
      expect(result.points).toBeGreaterThanOrEqual(inSizes({ usual: 1, deep: 3, full: 10 }));
    });
});

afterAll(() => {
  const { points, kills, slots, runs, deliveries, repeats } = total;
  console.log(
    `crash matrix of jobs: ${points} points, ${kills} kills, ${slots} slots (each on record once), ${runs} runs (one for each slot that ran), ` +
      `${deliveries} deliveries (0 lost, ${repeats} taken twice, each because its sender was killed)`,
  );
});

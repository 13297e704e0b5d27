import { afterAll, expect, it } from 'vitest';
import { describeWith } from '../support/needs.ts';
import { inSizes } from '../support/size.ts';
import { scenarios } from './scenarios.ts';
import { type Meanwhile, runStops } from './stop-matrix.ts';
import { toolScenarios } from './tool-scenarios.ts';

/** The ones that are stopped every day, and deep. */
const usual = 'unsafe calls that nobody is asked about';
const chosen = [...scenarios, ...toolScenarios.filter(({ startsProcesses }) => !startsProcesses)].filter(
  ({ name }) => inSizes({ usual: name === usual, deep: name === usual, full: true }),
);
const total = { points: 0, inside: 0, taken: 0, commands: 0, claims: 0, acknowledged: 0, effectsInLedger: 0 };

const titles: Readonly<Record<Meanwhile, string>> = {
  try: 'a process stopped at every boundary keeps its runs, and goes on with them:',
  bury: 'a process that is taken for dead while it is stopped at every boundary writes nothing more to its runs:',
};

for (const meanwhile of ['try', 'bury'] as const)
  describeWith(process.platform === 'linux', 'states of processes are read in /proc')(
    titles[meanwhile],
    () => {
      for (const scenario of chosen)
        it(scenario.name, async () => {
          const result = await runStops(scenario, meanwhile);
          for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += result[name];
          expect(result.problems).toEqual([]);
        });
    },
  );

afterAll(() => {
  console.log(
    `stop matrix: ${total.points} stops, ${total.inside} of them inside of a transaction; ${total.commands} commands meanwhile, none answered before the driver went on or was taken for dead; ` +
      `${total.taken} runs taken from processes that were taken for dead: 0 stale writes, 0 unsafe calls twice; 0 runs taken from others; ` +
      `${total.claims} changes of a run's driver, ${total.effectsInLedger} tool executions, ${total.acknowledged} acknowledged transitions (0 lost)`,
  );
});

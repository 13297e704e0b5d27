import { afterAll, describe, expect, it } from 'vitest';
import { describeWith } from '../support/needs.ts';
import { inSizes } from '../support/size.ts';
import { describeSandboxed } from '../tools/sandbox/support.ts';
import { addTo } from './harness/cases.ts';
import { runMatrix } from './harness/matrix.ts';
import { emptyResult, type MatrixResult, runSuite } from './matrix.ts';
import { takeOverWords } from './ownership-log.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import { toolScenarios } from './tool-scenarios.ts';

const total = emptyResult();
let done = 0;

const isLinux = process.platform === 'linux';
const describeUnconfined = describeWith(isLinux, 'processes are looked up in /proc', true);
const all = Map.groupBy([...scenarios, ...toolScenarios], ({ sandbox }) => sandbox);
const title = 'a process killed at every boundary of';

describe(title, () => killAll(all.get(undefined)));
describeSandboxed(title, () => killAll(all.get('auto')));
describeUnconfined(title, () => killAll(all.get('none')));

/** The one that is killed in company every day, and deep. */
const inCompany = 'unsafe calls that nobody is asked about';
const accompanied = [...scenarios, ...toolScenarios.filter(({ startsProcesses }) => !startsProcesses)].filter(
  ({ name }) => inSizes({ usual: name === inCompany, deep: name === inCompany, full: true }),
);

for (const company of inSizes({ usual: [1], deep: [2], full: [1, 2] }))
  describe(`${title}, while ${company} others are at work on the same database`, () => {
    for (const scenario of accompanied)
      it(scenario.name, async () => {
        const result = await runMatrix(runSuite(company), scenario);
        count(result);
        expect(result.problems).toEqual([]);
      });
  });

/** Every eighth one of them every day. */
function killAll(these: readonly Scenario[] = []): void {
  for (const scenario of these.filter((_, i) => inSizes({ usual: i % 8 === 0, deep: true, full: true })))
    it(scenario.name, async () => {
      const result = await runMatrix(runSuite(), scenario);
      count(result);
      expect(result.problems).toEqual([]);
      expect(result.points).toBeGreaterThan(inSizes({ usual: 0, deep: 1, full: 3 }));
      if (scenario.startsProcesses && isLinux) expect(result.processes).toBeGreaterThan(0);
    });
}

function count(result: MatrixResult): void {
  done++;
  addTo(total, result);
}

afterAll(() => {
  const { takeOverMs } = total;
  console.log(
    `crash matrix: ${done} scenarios, ${total.points} kills, ${total.runs} runs ended, ${total.acknowledged} acknowledged transitions (0 lost), ` +
      `${total.effectsInLedger} tool executions (${total.repeats} repeats, 0 of them of unsafe calls), ${total.uncertain} unknown outcomes, each put to a person, ` +
      `${total.compactions} compactions (each after a recorded flush), ${total.processes} processes that killed ones had at work (0 left)`,
  );
  if (total.claims > 0)
    console.log(
      `in company: ${total.claims} changes of a run's driver (0 from a driver that lived, 0 runs performed by two at once, lanes in order); ` +
        `${takeOverWords(takeOverMs)}`,
    );
});

import { afterAll, expect, it } from 'vitest';
import { describeWith } from '../support/needs.ts';
import { inSizes } from '../support/size.ts';
import { addTo } from './harness/cases.ts';
import type { Point } from './harness/matrix.ts';
import { emptyResult } from './matrix.ts';
import { takeOverWords } from './ownership-log.ts';
import type { Scenario } from './scenarios.ts';
import { runServerStops, type ServerStops } from './server-stops.ts';

const call = (name: string, n: number) => ({ name, arguments: { n } });

/** It is handed its runs, and at its end it hands back the last one, which is at work. */
const scenario = (name: string, ...calls: ReturnType<typeof call>[]): Scenario => ({
  name,
  script: { turns: [{ answers: [{ calls }, { text: 'all done' }] }] },
  phases: [[{ do: 'settle' }, { do: 'run', prompt: 'go' }, { do: 'run', prompt: 'go', wait: false }]],
  outcomes: ['completed'],
});
const scenarios = inSizes({
  usual: [scenario('an unsafe call', call('pay', 1))],
  deep: [scenario('an unsafe call', call('pay', 1))],
  full: [
    scenario('an unsafe call', call('pay', 1)),
    scenario('calls side by side', call('look', 1), call('note', 2), call('pay', 3)),
  ],
});

/** One inside of a transaction and one in an effect; more of them deep, and all at the full size. */
function chosen(all: readonly Point[]): readonly Point[] {
  const every = inSizes({ usual: 0, deep: Math.ceil(all.length / 6), full: 1 });
  if (every > 0) return all.filter((_, i) => i % every === 0);
  const inside = all.filter(({ name }) => name === 'commit.read');
  const effect = all.find(({ name }) => name === 'pay.start');
  return [inside[inside.length >> 1], effect].flatMap((point) => point ?? []);
}

const total: ServerStops = { ...emptyResult(), taken: 0, openMs: [], stoppedMs: [] };

describeWith(process.platform === 'linux', 'states of processes are read in /proc')(
  'a process that is stopped for longer than its lease, on a server, changes nothing any more and locks nothing for long:',
  () => {
    for (const one of scenarios)
      it(one.name, async () => {
        const result = await runServerStops(one, chosen);
        addTo(total, result);
        expect(result.problems).toEqual([]);
        expect(result.points).toBeGreaterThan(0);
      });
  },
);

afterAll(() => {
  const open = total.openMs.filter((ms) => ms > 100);
  console.log(
    `stops on a server: ${total.points} stops, ${open.length} of them inside of a transaction, the longest of which was open for ${Math.max(0, ...open)} ms; ` +
      `${total.taken} runs of stopped processes brought to their ends by others, ${total.claims} changes of a run's driver, ${total.effectsInLedger} tool executions: ` +
      `0 stale writes, 0 unsafe calls twice; from the stop, with a lease of 3 s, ${takeOverWords(total.stoppedMs)}`,
  );
});

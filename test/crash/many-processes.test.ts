import { describe, expect, it, onTestFinished } from 'vitest';
import { expectCopies } from '../store/copy/copying.ts';
import { describeDeep, itDeep } from '../support/deep.ts';
import { temporaryWorkspace } from '../support/detent.ts';
import { administer, newDatabase, startPostgres } from '../support/postgres.ts';
import { inSizes } from '../support/size.ts';
import { databaseOf } from './harness/inspect-rows.ts';
import { type ManySizes, runMany } from './many.ts';
import { inspectMany } from './many-inspect.ts';
import { takeOverWords } from './ownership-log.ts';

const sizes = inSizes<ManySizes>({
  usual: { processes: 3, sessions: 4, runs: 12, disturbEveryMs: 400 },
  deep: { processes: 4, sessions: 8, runs: 28, disturbEveryMs: 400 },
  full: { processes: 5, sessions: 200, runs: 2_000, disturbEveryMs: 400 },
});

/** Runs them, and says what came of it. */
async function expectWhole(all: ManySizes): Promise<void> {
  const workspace = await temporaryWorkspace();
  const happening = await runMany(workspace, all);
  const result = inspectMany(workspace, happening);
  const { takeOverMs, stoppedMs } = result;
  console.log(
    `many processes: ${all.processes} at once, ${happening.deaths.size} kills, ${happening.stops} stops (${happening.longStops.length} longer than the lease), ${happening.restarts} restarts of the server, ${happening.spoils} of tickets; ${result.runs} runs ended, ${result.effects} effects, ` +
      `${result.commands} commands, ${result.delivered} of them delivered by another; decisions in the log: ${JSON.stringify(result.decisions)}; refused: ${JSON.stringify(result.refused)}; ` +
      `${result.claims} changes of a run's driver; ${takeOverWords(takeOverMs)}; of stopped ones with a lease of 10 s ${takeOverWords(stoppedMs)}; ${Math.round(happening.ms)} ms`,
  );
  expect(result.problems).toEqual([]);
  expect(result.runs).toBeGreaterThanOrEqual(all.runs);
  expect(Object.keys(result.refused)).not.toContain('FENCED');
  // Rows as a hard life leaves them.
  await expectCopies(databaseOf(workspace), inSizes({ usual: 0, deep: 3, full: 10 }));
}

describe('several processes on one database, killed and stopped at random', () => {
  it('end every run, and lose and repeat nothing', () => expectWhole(sizes));

  itDeep('do so on a server, which hands their runs out', async () => {
    await expectWhole({
      // A start costs a second of a core: more kills a minute would leave none of two cores to runs.
      ...inSizes<ManySizes>({
        usual: { processes: 2, sessions: 3, runs: 8, disturbEveryMs: 400 },
        deep: { processes: 4, gateways: 1, sessions: 6, runs: 14, disturbEveryMs: 700, longStopEvery: 3 },
        full: {
          processes: 6,
          gateways: 2,
          sessions: 200,
          runs: 2_000,
          disturbEveryMs: 2_000,
          longStopEvery: 2,
        },
      }),
      url: await newDatabase(),
    });
  });
});

describeDeep('several processes that tickets of pg-boss tell of runs', () => {
  const few = inSizes<ManySizes>({
    usual: { processes: 2, sessions: 3, runs: 6, disturbEveryMs: 300 },
    deep: { processes: 3, sessions: 4, runs: 9, disturbEveryMs: 700 },
    full: { processes: 6, sessions: 200, runs: 2_000, disturbEveryMs: 2_000 },
  });

  it.each(inSizes({ usual: ['spoilt'], deep: ['spoilt'], full: ['spoilt', 'absent'] } as const))(
    'lose and repeat nothing while they are %s',
    async (tickets) => {
      await expectWhole({ ...few, url: await newDatabase(), tickets });
    },
  );
});

describeDeep('several processes', () => {
  it('do so on a server that is killed, too', async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    await administer(server.url('postgres'), 'create database many');
    await expectWhole({
      ...inSizes<ManySizes>({
        usual: { processes: 3, sessions: 5, runs: 20, disturbEveryMs: 2_000 },
        deep: { processes: 3, sessions: 6, runs: 16, disturbEveryMs: 2_000 },
        full: { processes: 6, gateways: 2, sessions: 200, runs: 2_000, disturbEveryMs: 3_000 },
      }),
      restartEveryMs: 7_500,
      url: server.url('many'),
      restart: () => server.restart(Math.random() * inSizes({ usual: 0, deep: 500, full: 5_000 })),
    });
  });
});

import { describe, expect, it } from 'vitest';
import { expectCopies } from '../store/copy/copying.ts';
import { temporaryWorkspace } from '../support/detent.ts';
import { inSizes } from '../support/size.ts';
import { databaseOf } from './harness/inspect-rows.ts';
import { type ManySizes, runMany } from './many.ts';
import { inspectMany } from './many-inspect.ts';
import { takeOverWords } from './ownership-log.ts';

const sizes = inSizes<ManySizes>({
  usual: { processes: 3, sessions: 5, runs: 20, disturbEveryMs: 400 },
  deep: { processes: 5, sessions: 25, runs: 150, disturbEveryMs: 400 },
  full: { processes: 5, sessions: 200, runs: 2_000, disturbEveryMs: 400 },
});

describe('several processes on one database, killed and stopped at random', () => {
  it('end every run, and lose and repeat nothing', async () => {
    const workspace = await temporaryWorkspace();
    const happening = await runMany(workspace, sizes);
    const result = inspectMany(workspace, happening);
    const { takeOverMs } = result;
    console.log(
      `many processes: ${sizes.processes} at once, ${happening.deaths.size} kills, ${happening.stops} stops; ${result.runs} runs ended, ${result.effects} effects, ` +
        `${result.commands} commands, ${result.delivered} of them delivered by another; decisions in the log: ${JSON.stringify(result.decisions)}; refused: ${JSON.stringify(result.refused)}; ` +
        `${result.claims} changes of a run's driver, 0 from one that lived; ${takeOverWords(takeOverMs)}; ${Math.round(happening.ms)} ms`,
    );
    expect(result.problems).toEqual([]);
    expect(result.runs).toBeGreaterThanOrEqual(sizes.runs);
    expect(Object.keys(result.refused)).not.toContain('FENCED');
    // Rows as a hard life leaves them.
    await expectCopies(databaseOf(workspace), inSizes({ usual: 0, deep: 10, full: 10 }));
  });
});

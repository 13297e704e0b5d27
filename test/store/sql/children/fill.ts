/**
 * A driver whose disk is full: run under `ulimit -f`, `fill.ts <file>` asks for 60 commits at once, 20 times over, and
 * prints the seqs that were acknowledged and the codes of the others.
 */

import { DetentError } from '../../../../src/protocol/error.ts';
import { openSqlite } from '../../../../src/store/sql/sqlite.ts';
import { ask } from '../../../support/ask.ts';
import { eventInput, withRuns } from '../../rows.ts';

const [file = ''] = process.argv.slice(2);
const store = await openSqlite({ file });
await withRuns(store);
const acknowledged: number[] = [];
const codes = new Set<string>();
for (let round = 0; round < 20; round++)
  await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      const seq = round * 60 + i + 1;
      try {
        await store.commit(() => ask('insertEvent', eventInput({ seq, body: 'x'.repeat(1_000) })));
        acknowledged.push(seq);
      } catch (error) {
        codes.add(DetentError.is(error) ? error.code : String(error));
      }
    }),
  );
process.stdout.write(JSON.stringify({ acknowledged, codes: [...codes] }));
// Without closing: a checkpoint would only meet the same limit.
process.exit(0);

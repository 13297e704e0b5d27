import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { checkConformance } from '../test/models/support/conformance/run.ts';
import { tableOf } from '../test/models/support/conformance/table.ts';
import { allRecordings } from '../test/models/support/recordings.ts';

/**
 * Reads every recorded answer of every provider, whole, byte by byte and cut at random, and says what came out right.
 * Recordings of a folder beside the repository are read as well, where there are any.
 *
 * `--json` for programs, `--cuts N` for more random cuts. Ends with 1 when a strict recording fails.
 */
const { values } = parseArgs({
  options: { json: { type: 'boolean' }, cuts: { type: 'string', default: '5' } },
});
const beside = new URL('../../shared/fixtures/streams/', import.meta.url);
const own = allRecordings();
const others = existsSync(beside) ? allRecordings(beside) : [];
const known = new Set(own.map(({ id }) => id));
const more = others.filter(({ id }) => !known.has(id));

const report = checkConformance({
  recordings: [...own, ...more],
  cuts: Number(values.cuts),
  byteByByte: true,
});
if (values.json) console.log(JSON.stringify(report));
else {
  console.log(tableOf(report));
  const also =
    others.length > 0 ? `, and ${others.length} in ${beside.pathname}, ${more.length} of them others` : '';
  console.log(`${own.length} recordings in the repository${also}; ${values.cuts} random cuts each.`);
}
process.exitCode = report.failures.some(({ isStrict }) => isStrict) ? 1 : 0;

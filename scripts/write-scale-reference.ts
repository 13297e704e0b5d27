/**
 * Writes the sizes of `docs/scale.md`, between `<!-- sizes -->` and `<!-- /sizes -->`: computed from what one run costs.
 *
 *     node scripts/write-scale-reference.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';

/** What a run of 6 answers with 5 calls of tools costs, measured: see docs/scale.md. */
const perRun = {
  commits: 12,
  statements: 116,
  diskKb: 36,
  walKb: 41,
  databaseCpuMs: 10,
  workerCpuMs: 21,
  /** From its start to its end, with a model that answers in 3 s. */
  seconds: 20,
} as const;

/** The busiest seconds of a day have so many times the mean. */
const peak = 4;
/** How busy a core may be. */
const busy = 0.8;
/** Of a process: 8 for programs, one that holds its lock. */
const connections = 9;
const daysKept = 30;

if (import.meta.main) {
  const file = new URL('../docs/scale.md', import.meta.url);
  writeFileSync(file, withSizes(readFileSync(file, 'utf8')));
}

/** The text with the table of sizes in it renewed. */
export function withSizes(text: string): string {
  return text.replace(
    /(<!-- sizes -->\n)[\s\S]*?(<!-- \/sizes -->)/,
    (_, open: string, close: string) => `${open}${table([10_000, 1_000_000, 10_000_000])}\n${close}`,
  );
}

interface Size {
  perSecond: number;
  /** Two at least: one may be away. */
  workers: number;
  gateways: number;
}

function sizeOf(runsADay: number): Size {
  const perSecond = (runsADay / 86_400) * peak;
  const cores = (perSecond * perRun.workerCpuMs) / 1_000 / busy;
  // A third more: a zone of three may be away.
  const workers = Math.max(2, Math.ceil(cores * 1.5));
  return { perSecond, workers, gateways: Math.max(2, Math.ceil(workers / 4)) };
}

function table(days: readonly number[]): string {
  const columns = days.map((runsADay) => ({ runsADay, ...sizeOf(runsADay) }));
  const row = (name: string, cell: (size: (typeof columns)[number]) => string) =>
    `| ${name} | ${columns.map(cell).join(' | ')} |`;
  return [
    row('runs a day', ({ runsADay }) => count(runsADay)),
    `| --- |${' --- |'.repeat(columns.length)}`,
    row('runs a second, at the peak', ({ perSecond }) => count(perSecond)),
    row('runs at work at once', ({ perSecond }) => count(perSecond * perRun.seconds)),
    row('commits a second', ({ perSecond }) => count(perSecond * perRun.commits)),
    row('statements a second', ({ perSecond }) => count(perSecond * perRun.statements)),
    row('cores of the database server', ({ perSecond }) =>
      count((perSecond * perRun.databaseCpuMs) / 1_000 / busy),
    ),
    row('workers, of one core each', ({ workers }) => count(workers)),
    row('gateways', ({ gateways }) => count(gateways)),
    row('connections', ({ workers, gateways }) => count((workers + gateways) * connections)),
    row('write-ahead log', ({ perSecond }) => `${count((perSecond * perRun.walKb) / 1_000)} MB/s`),
    row('disk a day', ({ runsADay }) => bytes(runsADay * perRun.diskKb)),
    row(`disk of ${daysKept} days`, ({ runsADay }) => bytes(runsADay * perRun.diskKb * daysKept)),
  ].join('\n');
}

/** Two digits say all that such figures know. */
function count(value: number): string {
  return Number(value.toPrecision(2)).toLocaleString('en');
}

function bytes(kb: number): string {
  return kb >= 1e9 ? `${count(kb / 1e9)} TB` : `${count(kb / 1e6)} GB`;
}

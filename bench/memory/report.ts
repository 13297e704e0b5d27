import type { MachineFacts } from '../support/machine-facts.ts';
import { table } from '../support/table.ts';
import type { Quality } from './quality.ts';
import type { Scale } from './scale.ts';
import type { Scan } from './scan.ts';

export interface Measured {
  quality: readonly Quality[];
  scale: Scale;
  scan: Scan;
}

/** The figures as tables for people. */
export function report(machine: MachineFacts, { quality, scale, scan }: Measured): string {
  const { index, searches, delays } = scale;
  const { count, dims, rows, version, problem } = scan;
  return [
    `${machine.platform}, ${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, ${machine.date}`,
    table([qualityHead, ...quality.map(qualityRow)]),
    table([['an index', ''], ...Object.entries(index).map(([what, value]) => [what, String(value)])]),
    table([
      ['searches, ms', 'count', 'p50', 'p95', 'max'],
      ...searches.map((each) => [each.what, ...[each.searches, each.p50, each.p95, each.max].map(String)]),
    ]),
    table([
      ['delay of the event loop, ms, during', 'p50', 'p99', 'max'],
      ...delays.map(({ during, p50, p99, max }) => [during, ...[p50, p99, max].map(String)]),
    ]),
    table([
      [`${count} vectors of ${dims}`, 'median ms', 'p95 ms', 'GB/s', 'times reading them', 'recall@10'],
      ...rows.map(({ what, medianMs, p95Ms, gbPerSecond, ratio, recall }) => [
        what,
        ...[medianMs, p95Ms, gbPerSecond, ratio, recall ?? ''].map(String),
      ]),
    ]),
    version === null ? `without sqlite-vec: ${problem}` : `sqlite-vec ${version}`,
  ].join('\n\n');
}

const qualityHead = [
  'set',
  'questions',
  'hit@1',
  'hit@5',
  'recall@5',
  'recall@10',
  'nDCG@10',
  'with vectors',
  'misspelt r@5',
];

function qualityRow(found: Quality): string[] {
  const { hitAt1, hitAt5, recallAt5, recallAt10, ndcgAt10 } = found;
  const shares = [hitAt1, hitAt5, recallAt5, recallAt10, ndcgAt10, found.hybrid, found.misspelt];
  return [found.set, String(found.queries), ...shares.map((share) => share.toFixed(3))];
}

import { features } from './features.ts';
import type { Count, Report } from './run.ts';

const maxShown = 20;

/** A report for people. */
export function tableOf(report: Report): string {
  const names = ['all', ...features.map(({ name }) => name)];
  const rows = Object.entries(report.providers).map(([provider, row]) => [
    provider,
    ...names.map((name) => inWords(row[name])),
  ]);
  const totals = [
    ...Object.entries(report.wires).map(([wire, of]) => [wire, inWords(of)]),
    ['recordings that break the rules', inWords(report.unruly)],
    ['readings, however cut', inWords(report.readings)],
    ['whole answers', inWords(report.wholeAnswers)],
    ...Object.entries(report.httpErrors).map(([kind, of]) => [`HTTP errors: ${kind}`, inWords(of)]),
    ['event stream vectors', inWords(report.sseVectors)],
  ];
  const failures = report.failures
    .slice(0, maxShown)
    .map(
      ({ id, cut, isStrict, differences }) =>
        `FAILED ${id} (${cut}${isStrict ? '' : ', not strict'}): ${JSON.stringify(differences).slice(0, 400)}\n`,
    );
  const left = report.failures.length - failures.length;
  const more = left > 0 ? `and ${left} more\n` : '';
  return `${lines([['provider', ...names], ...rows])}\n${lines(totals)}${failures.length > 0 ? '\n' : ''}${failures.join('')}${more}`;
}

function inWords(count: Count | undefined): string {
  return count ? `${count.passed}/${count.total}` : '-';
}

function lines(rows: readonly (readonly string[])[]): string {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, i) => cell.padEnd(width(i)))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

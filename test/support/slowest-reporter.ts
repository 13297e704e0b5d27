import { relative } from 'node:path';
import type { Reporter, TestModule, TestSpecification } from 'vitest/node';
import { inSizes } from './size.ts';

const shown = 10;

/** Of all files on two cores. */
const expected = inSizes({ usual: '6 to 8 minutes', deep: '15 to 20 minutes', full: 'hours' });

/** Says at the beginning how long all files take, and at the end which files took longest, and how long all of them did. */
export default class SlowestReporter implements Reporter {
  onTestRunStart(files: readonly TestSpecification[]): void {
    if (files.length > 100) console.log(`${files.length} files: ${expected} on two cores\n`);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= shown) return;
    const files = modules.map((module) => ({ file: relative('', module.moduleId), ms: timeOf(module) }));
    const all = files.reduce((sum, { ms }) => sum + ms, 0);
    const slowest = files.sort((a, b) => b.ms - a.ms).slice(0, shown);
    const lines = slowest.map(({ file, ms }) => `${seconds(ms).padStart(9)}  ${file}`);
    console.log(`\nThe slowest of ${files.length} files, ${seconds(all)} in all:\n${lines.join('\n')}\n`);
  }
}

function timeOf(module: TestModule): number {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  return collectDuration + setupDuration + duration;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

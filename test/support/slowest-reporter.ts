import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const shown = 10;

/** Says at the end which files took longest, and how long all of them did. */
export default class SlowestReporter implements Reporter {
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

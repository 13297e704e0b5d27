import type { Reporter, TestModule } from 'vitest/node';
import { notRun } from './needs.ts';

/** Says as the last line what was not run, and why: a skipped suite must not look green. */
export default class NotRunReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const why = new Set<string>();
    for (const module of modules)
      for (const test of module.children.allTests('skipped'))
        if (test.name.startsWith(notRun)) why.add(test.name);
    // Behind what the other reporters print at the end.
    if (why.size > 0) process.once('exit', () => console.log([...why].join('; ')));
  }
}

import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take long: more than twenty seconds of their worker at the deep size, on two cores. */
export const longest: readonly string[] = [
  'test/docs/docs.test.ts',
  'test/package/published.test.ts',
  'test/crash/crash-matrix.test.ts',
  'test/crash/postgres-crash.test.ts',
  'test/crash/many-processes.test.ts',
  'test/crash/workflows/workflow-crash.test.ts',
  'test/crash/server-stops.test.ts',
  'test/crash/jobs/job-crash.test.ts',
  'test/model-based/run-paths.test.ts',
  'test/cli/postgres.test.ts',
  'test/core/all.test.ts',
  'test/cli/commands/completion/shells.test.ts',
  'test/clients/java/phone.test.ts',
  'test/core/workflows.test.ts',
  'test/cluster/server-drivers.test.ts',
  'test/clients/kotlin/kotlin.test.ts',
  'test/tools/mcp/odd-servers.test.ts',
  'test/cluster/roles.test.ts',
  'test/store/copy/copy.test.ts',
  'test/agent/random/histories.test.ts',
  'test/store/postgres/postgres.test.ts',
  'test/agent/model-call/broken-streams.test.ts',
  'test/schedule/keep.test.ts',
  'test/testing/agent-path-faults.test.ts',
  'test/store/sql/open-files.test.ts',
  'test/workflow/examples/against-create-actor.test.ts',
  'test/workflow/examples/killed.test.ts',
  'test/tools/mcp/conformance.test.ts',
  'test/memory/conversations/session-search.test.ts',
  'test/cli/terminal/foreign-text.test.ts',
  'test/schedule/time.test.ts',
  'test/browser/every-page.test.ts',
  'test/browser/styles.test.ts',
  'test/browser/tour.test.ts',
  'test/browser/dock.test.ts',
  'test/browser/jobs.test.ts',
  'test/browser/inspector.test.ts',
  'test/browser/composer.test.ts',
  'test/browser/shopping-assistant.test.ts',
  'test/browser/restart.test.ts',
  'test/browser/hostile.test.ts',
];

/**
 * The order of the files where no earlier run has left their times, as in a fresh clone: the longest first, because one
 * that starts last leaves a core idle. Vitest would take the largest first. With times it knows better.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    if (files.some((file) => this.ctx.cache.getTestSpecificationResult(file) !== undefined)) return sorted;
    const byProject = Map.groupBy(sorted, ({ project }) => project);
    return [...byProject.values()].flatMap((own) => own.sort((a, b) => rankOf(a) - rankOf(b)));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const at = longest.indexOf(relative('', moduleId));
  return at < 0 ? longest.length : at;
}

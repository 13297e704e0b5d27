import { beforeEach, describe } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { describeAccessTokens } from './conformance/access-tokens.ts';
import { describeArtifacts } from './conformance/artifacts.ts';
import { describeBudgets } from './conformance/budgets.ts';
import { describeCachedAnswers } from './conformance/cached-answers.ts';
import { describeClaims } from './conformance/claims.ts';
import { describeCommands } from './conformance/commands.ts';
import { describeCommits } from './conformance/commits.ts';
import { describeConfirmations } from './conformance/confirmations.ts';
import { describeDrivers } from './conformance/drivers.ts';
import { describeEffects } from './conformance/effects.ts';
import { describeEvents } from './conformance/events.ts';
import { describeGrants } from './conformance/grants.ts';
import { describeJobs } from './conformance/jobs.ts';
import { describeLanes } from './conformance/lanes.ts';
import { describeMessages } from './conformance/messages.ts';
import { describeRequestKeys } from './conformance/request-keys.ts';
import { describeRuns } from './conformance/runs.ts';
import { describeSessions } from './conformance/sessions.ts';
import { describeTaintedFiles } from './conformance/tainted-files.ts';
import { describeTenants } from './conformance/tenants.ts';
import { describeTimers } from './conformance/timers.ts';
import { describeUploads } from './conformance/uploads.ts';
import { describeUsage } from './conformance/usage.ts';

const everything = [
  describeSessions,
  describeRuns,
  describeLanes,
  describeDrivers,
  describeClaims,
  describeCommands,
  describeEvents,
  describeEffects,
  describeTimers,
  describeMessages,
  describeConfirmations,
  describeGrants,
  describeArtifacts,
  describeUsage,
  describeBudgets,
  describeAccessTokens,
  describeTaintedFiles,
  describeUploads,
  describeRequestKeys,
  describeCachedAnswers,
  describeTenants,
  describeJobs,
  describeCommits,
];

/**
 * What every store does.
 *
 * @param open makes an empty store that knows the tenants 1 and 2; the suite closes it.
 * @param parts of a store that shares its statements with another one: what it does in its own way
 */
export function describeStore(
  name: string,
  open: () => Promise<Store>,
  parts: readonly ((opened: () => Store) => void)[] = everything,
): void {
  describe(name, () => {
    let store: Store;

    beforeEach(async () => {
      const made = await open();
      store = made;
      return () => made.close();
    });

    for (const describePart of parts) describePart(() => store);
  });
}

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

/**
 * What every store does.
 *
 * @param open makes an empty store that knows the tenants 1 and 2; the suite closes it.
 */
export function describeStore(name: string, open: () => Promise<Store>): void {
  describe(name, () => {
    let store: Store;

    beforeEach(async () => {
      const made = await open();
      store = made;
      return () => made.close();
    });

    describeSessions(() => store);
    describeRuns(() => store);
    describeLanes(() => store);
    describeDrivers(() => store);
    describeClaims(() => store);
    describeCommands(() => store);
    describeEvents(() => store);
    describeEffects(() => store);
    describeTimers(() => store);
    describeMessages(() => store);
    describeConfirmations(() => store);
    describeGrants(() => store);
    describeArtifacts(() => store);
    describeUsage(() => store);
    describeBudgets(() => store);
    describeAccessTokens(() => store);
    describeTaintedFiles(() => store);
    describeUploads(() => store);
    describeRequestKeys(() => store);
    describeCachedAnswers(() => store);
    describeTenants(() => store);
    describeJobs(() => store);
    describeCommits(() => store);
  });
}

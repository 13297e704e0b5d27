import type { Statements } from '../../statements.ts';
import { accessTokenQueries } from './access-tokens.ts';
import { artifactQueries } from './artifacts.ts';
import { budgetQueries } from './budgets.ts';
import { cachedAnswerQueries } from './cached-answers.ts';
import { commandQueries } from './commands.ts';
import { confirmationQueries } from './confirmations.ts';
import { driverQueries } from './drivers.ts';
import { effectQueries } from './effects.ts';
import { eventQueries } from './events.ts';
import { grantQueries } from './grants.ts';
import { jobQueries } from './jobs.ts';
import { messageQueries } from './messages.ts';
import type { Queries } from './query.ts';
import { requestKeyQueries } from './request-keys.ts';
import { runQueries } from './runs.ts';
import { sessionQueries } from './sessions.ts';
import { taintedFileQueries } from './tainted-files.ts';
import { tenantQueries } from './tenants.ts';
import { timerQueries } from './timers.ts';
import { uploadQueries } from './uploads.ts';
import { usageQueries } from './usage.ts';

/** Every statement, built by Kysely, so that SQLite and PostgreSQL can share one definition. */
export const queries: Queries<Statements> = {
  ...taintedFileQueries,
  ...tenantQueries,
  ...sessionQueries,
  ...runQueries,
  ...eventQueries,
  ...effectQueries,
  ...timerQueries,
  ...messageQueries,
  ...confirmationQueries,
  ...grantQueries,
  ...artifactQueries,
  ...usageQueries,
  ...budgetQueries,
  ...cachedAnswerQueries,
  ...commandQueries,
  ...driverQueries,
  ...accessTokenQueries,
  ...uploadQueries,
  ...jobQueries,
  ...requestKeyQueries,
};

import type { StatementTypes } from './statement.ts';
import { accessTokenStatements } from './statements/access-tokens.ts';
import { artifactStatements } from './statements/artifacts.ts';
import { budgetStatements } from './statements/budgets.ts';
import { cachedAnswerStatements } from './statements/cached-answers.ts';
import { commandStatements } from './statements/commands.ts';
import { confirmationStatements } from './statements/confirmations.ts';
import { driverStatements } from './statements/drivers.ts';
import { effectStatements } from './statements/effects.ts';
import { eventStatements } from './statements/events.ts';
import { grantStatements } from './statements/grants.ts';
import { jobStatements } from './statements/jobs.ts';
import { messageStatements } from './statements/messages.ts';
import { requestKeyStatements } from './statements/request-keys.ts';
import { runStatements } from './statements/runs.ts';
import { sessionStatements } from './statements/sessions.ts';
import { taintedFileStatements } from './statements/tainted-files.ts';
import { tenantStatements } from './statements/tenants.ts';
import { timerStatements } from './statements/timers.ts';
import { uploadStatements } from './statements/uploads.ts';
import { usageStatements } from './statements/usage.ts';

/**
 * The statements of a store, by name. Every store answers exactly these, so that one commit program works on all. Rows hold JSON
 * as text; ids named `run` and `session` are the store's integers. An answer of type `number` is the number of changed rows.
 *
 * Other parts of the program import types of statements alone, and name the subjects that they use: the queries are Kysely's, and
 * no published program loads that.
 */
export const statements = {
  ...tenantStatements,
  ...sessionStatements,
  ...runStatements,
  ...eventStatements,
  ...effectStatements,
  ...timerStatements,
  ...messageStatements,
  ...confirmationStatements,
  ...grantStatements,
  ...artifactStatements,
  ...usageStatements,
  ...budgetStatements,
  ...cachedAnswerStatements,
  ...commandStatements,
  ...driverStatements,
  ...accessTokenStatements,
  ...taintedFileStatements,
  ...uploadStatements,
  ...jobStatements,
  ...requestKeyStatements,
};

export type AccessTokenStatements = StatementTypes<typeof accessTokenStatements>;
export type ArtifactStatements = StatementTypes<typeof artifactStatements>;
export type BudgetStatements = StatementTypes<typeof budgetStatements>;
export type CachedAnswerStatements = StatementTypes<typeof cachedAnswerStatements>;
export type CommandStatements = StatementTypes<typeof commandStatements>;
export type ConfirmationStatements = StatementTypes<typeof confirmationStatements>;
export type DriverStatements = StatementTypes<typeof driverStatements>;
export type EffectStatements = StatementTypes<typeof effectStatements>;
export type EventStatements = StatementTypes<typeof eventStatements>;
export type GrantStatements = StatementTypes<typeof grantStatements>;
export type JobStatements = StatementTypes<typeof jobStatements>;
export type MessageStatements = StatementTypes<typeof messageStatements>;
export type RequestKeyStatements = StatementTypes<typeof requestKeyStatements>;
export type RunStatements = StatementTypes<typeof runStatements>;
export type SessionStatements = StatementTypes<typeof sessionStatements>;
export type TaintedFileStatements = StatementTypes<typeof taintedFileStatements>;
export type TenantStatements = StatementTypes<typeof tenantStatements>;
export type TimerStatements = StatementTypes<typeof timerStatements>;
export type UploadStatements = StatementTypes<typeof uploadStatements>;
export type UsageStatements = StatementTypes<typeof usageStatements>;
export type Statements = StatementTypes<typeof statements>;
export type StatementName = keyof Statements;
export type In<K extends StatementName> = Statements[K]['in'];
export type Out<K extends StatementName> = Statements[K]['out'];

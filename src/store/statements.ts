import type { StatementTypes } from './query/statement.ts';
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
import { noticeStatements } from './statements/notices.ts';
import { ratingStatements } from './statements/ratings.ts';
import { reportStatements } from './statements/reports.ts';
import { requestKeyStatements } from './statements/request-keys.ts';
import { runStatements } from './statements/runs.ts';
import { sessionStatements } from './statements/sessions.ts';
import { taintedFileStatements } from './statements/tainted-files.ts';
import { tenantStatements } from './statements/tenants.ts';
import { timerStatements } from './statements/timers.ts';
import { uploadStatements } from './statements/uploads.ts';
import { usageStatements } from './statements/usage.ts';
import { userStatements } from './statements/users.ts';

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
  ...noticeStatements,
  ...jobStatements,
  ...requestKeyStatements,
  ...userStatements,
  ...ratingStatements,
  ...reportStatements,
};

/** The statements by their subject. */
interface Subjects {
  accessTokens: typeof accessTokenStatements;
  artifacts: typeof artifactStatements;
  budgets: typeof budgetStatements;
  cachedAnswers: typeof cachedAnswerStatements;
  commands: typeof commandStatements;
  confirmations: typeof confirmationStatements;
  drivers: typeof driverStatements;
  effects: typeof effectStatements;
  events: typeof eventStatements;
  grants: typeof grantStatements;
  jobs: typeof jobStatements;
  messages: typeof messageStatements;
  ratings: typeof ratingStatements;
  notices: typeof noticeStatements;
  reports: typeof reportStatements;
  requestKeys: typeof requestKeyStatements;
  runs: typeof runStatements;
  sessions: typeof sessionStatements;
  taintedFiles: typeof taintedFileStatements;
  tenants: typeof tenantStatements;
  timers: typeof timerStatements;
  uploads: typeof uploadStatements;
  usage: typeof usageStatements;
  users: typeof userStatements;
}

export type Statements = StatementTypes<typeof statements>;
/** The statements of some subjects: `StatementsOf<'runs' | 'timers'>`. */
export type StatementsOf<S extends keyof Subjects> = Pick<
  Statements,
  { [T in S]: keyof Subjects[T] & keyof Statements }[S]
>;
export type StatementName = keyof Statements;
export type In<K extends StatementName> = Statements[K]['in'];
export type Out<K extends StatementName> = Statements[K]['out'];

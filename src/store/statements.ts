import type { AccessTokenStatements } from './statements/access-tokens.ts';
import type { ArtifactStatements } from './statements/artifacts.ts';
import type { BudgetStatements } from './statements/budgets.ts';
import type { CachedAnswerStatements } from './statements/cached-answers.ts';
import type { CommandStatements } from './statements/commands.ts';
import type { ConfirmationStatements } from './statements/confirmations.ts';
import type { DriverStatements } from './statements/drivers.ts';
import type { EffectStatements } from './statements/effects.ts';
import type { EventStatements } from './statements/events.ts';
import type { GrantStatements } from './statements/grants.ts';
import type { JobStatements } from './statements/jobs.ts';
import type { MessageStatements } from './statements/messages.ts';
import type { RequestKeyStatements } from './statements/request-keys.ts';
import type { RunStatements } from './statements/runs.ts';
import type { SessionStatements } from './statements/sessions.ts';
import type { TaintedFileStatements } from './statements/tainted-files.ts';
import type { TenantStatements } from './statements/tenants.ts';
import type { TimerStatements } from './statements/timers.ts';
import type { UploadStatements } from './statements/uploads.ts';
import type { UsageStatements } from './statements/usage.ts';

/**
 * The statements of a store, by name. Every store implements exactly these, so that one commit program works on all. Rows hold JSON as text; ids named `run` and `session` are the store's integers. An
 * output of type `number` is the number of changed rows.
 *
 * Other parts of the program do not import this type: they name the subjects that they use.
 */
export interface Statements
  extends TenantStatements,
    SessionStatements,
    RunStatements,
    EventStatements,
    EffectStatements,
    TimerStatements,
    MessageStatements,
    ConfirmationStatements,
    GrantStatements,
    ArtifactStatements,
    UsageStatements,
    BudgetStatements,
    CachedAnswerStatements,
    CommandStatements,
    DriverStatements,
    AccessTokenStatements,
    TaintedFileStatements,
    UploadStatements,
    JobStatements,
    RequestKeyStatements {}

export type StatementName = keyof Statements;
export type In<K extends StatementName> = Statements[K]['in'];
export type Out<K extends StatementName> = Statements[K]['out'];

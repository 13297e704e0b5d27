import type { ArtifactStatements } from './statements/artifacts.ts';
import type { BudgetStatements } from './statements/budgets.ts';
import type { CachedAnswerStatements } from './statements/cached-answers.ts';
import type { ConfirmationStatements } from './statements/confirmations.ts';
import type { DriverStatements } from './statements/drivers.ts';
import type { EffectStatements } from './statements/effects.ts';
import type { EventStatements } from './statements/events.ts';
import type { GrantStatements } from './statements/grants.ts';
import type { MessageStatements } from './statements/messages.ts';
import type { RunStatements } from './statements/runs.ts';
import type { SessionStatements } from './statements/sessions.ts';
import type { TimerStatements } from './statements/timers.ts';
import type { UsageStatements } from './statements/usage.ts';

/**
 * What a store can be asked, by name. Both databases and the in-process store implement exactly these, so that one
 * commit program serves all. Rows carry JSON as text; ids named `run` and `session` are the store's integers. A
 * `number` that comes out counts changed rows.
 *
 * A room of the program does not import this: it names the subjects that it asks.
 */
export interface Statements
  extends SessionStatements,
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
    DriverStatements {}

export type StatementName = keyof Statements;
export type In<K extends StatementName> = Statements[K]['in'];
export type Out<K extends StatementName> = Statements[K]['out'];

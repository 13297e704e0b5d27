import { type Ask, request } from '../store/program.ts';
import type { ArtifactStatements } from '../store/statements/artifacts.ts';
import type { CachedAnswerStatements } from '../store/statements/cached-answers.ts';
import type { CommandStatements } from '../store/statements/commands.ts';
import type { ConfirmationStatements } from '../store/statements/confirmations.ts';
import type { DriverStatements } from '../store/statements/drivers.ts';
import type { EffectStatements } from '../store/statements/effects.ts';
import type { EventStatements } from '../store/statements/events.ts';
import type { GrantStatements } from '../store/statements/grants.ts';
import type { MessageStatements } from '../store/statements/messages.ts';
import type { RunStatements } from '../store/statements/runs.ts';
import type { SessionStatements } from '../store/statements/sessions.ts';
import type { TimerStatements } from '../store/statements/timers.ts';
import type { UsageStatements } from '../store/statements/usage.ts';
import type { Store as StoreOf } from '../store/store.ts';

/** The statements that serve people: they read, copy, import and delete runs and sessions. No budgets. */
export interface RunsStatements
  extends SessionStatements,
    RunStatements,
    EventStatements,
    EffectStatements,
    MessageStatements,
    ConfirmationStatements,
    ArtifactStatements,
    Pick<TimerStatements, 'setTimer' | 'listTimers'>,
    Pick<GrantStatements, 'listGrants' | 'revokeGrant'>,
    Pick<UsageStatements, 'forgetRunUsage' | 'forgetSessionUsage' | 'sumUsage'>,
    Pick<CachedAnswerStatements, 'deleteAnswersOf'>,
    CommandStatements,
    Pick<DriverStatements, 'findDriver'> {}

export type Store = StoreOf<RunsStatements>;

/** Asks one of these statements: `const row = yield* ask('loadRun', { tenant, id })`. */
export const ask: Ask<RunsStatements> = request;

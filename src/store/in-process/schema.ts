import type { Declared } from '../program.ts';
import type {
  ArtifactRow,
  ConfirmationRow,
  EffectRow,
  EventRow,
  GrantRow,
  HoldRow,
  MessageRow,
  RunRow,
  TimerRow,
  UsageRow,
} from '../rows.ts';
import { constraintFailed } from './errors.ts';
import { Groups, Lookup } from './tables.ts';
import type { UndoLog } from './undo-log.ts';

/** The statements of a subject, performed. */
export type Handlers<S extends Declared<S>> = {
  readonly [K in keyof S]: (input: S[K]['in']) => S[K]['out'];
};

export interface SessionRow {
  pk: number;
  tenant: number;
  key: string;
  headRun: number;
  headSeq: number;
  prunedRun: number;
  prunedSeq: number;
  createdAt: number;
}

/** What the table holds of a budget; the rest of a `BudgetRow` is added up from the holds. */
export interface StoredBudget {
  id: string;
  period: string;
  maxTokens: number | null;
  maxCostUsd: number | null;
  spentTokens: number;
  spentCostUsd: number;
  updatedAt: number;
}

export type BudgetHold = HoldRow & { tenant: number };

type Place = Pick<RunRow, 'ordinal' | 'pk'>;

/** All due rows are one group: drivers ask for the soonest of all runs. */
export const everyRun = 0;
/** All rows of a table are one group. */
export const everyRow = 0;

/**
 * The tables, with the indexes that their statements need. Unlike the databases this keeps no tenant in rows that are
 * found by a run or a session, and refuses no tenant that it does not know.
 */
export function createTables(undo: UndoLog) {
  return {
    tenants: new Lookup<number, true>(undo),
    sessions: new Lookup<number, SessionRow>(undo),
    /** By {@link scoped} session key. */
    sessionKeys: new Lookup<string, number>(undo),
    sessionPks: new Groups<{ pk: number }, { pk: number }>(undo, (a, b) => a.pk - b.pk),
    sessionsOfTenant: new Groups<{ pk: number }, { pk: number }>(undo, (a, b) => a.pk - b.pk),

    runs: new Lookup<number, RunRow>(undo),
    /** By {@link scoped} run id. */
    runIds: new Lookup<string, number>(undo),
    runPks: new Groups<{ pk: number }, { pk: number }>(undo, (a, b) => a.pk - b.pk),
    runsOfTenant: new Groups<{ pk: number }, { pk: number }>(undo, (a, b) => a.pk - b.pk),
    /** All runs of a session, and those that have not ended. */
    lanes: new Groups<{ ordinal: number }, Place>(undo, (a, b) => a.ordinal - b.ordinal),
    activeLanes: new Groups<{ ordinal: number }, Place>(undo, (a, b) => a.ordinal - b.ordinal),

    events: new Groups<{ seq: number }, EventRow>(undo, (a, b) => a.seq - b.seq),
    /** By run and dedupe key, written like a {@link scoped} id. */
    eventKeys: new Lookup<string, number>(undo),
    /** The keys of a run in `eventKeys`. */
    eventKeysOfRun: new Groups<{ key: string }, { key: string }>(undo, (a, b) => compareText(a.key, b.key)),
    effects: new Groups<{ n: number }, EffectRow>(undo, (a, b) => a.n - b.n),
    confirmations: new Groups<{ call: number }, ConfirmationRow>(undo, (a, b) => a.call - b.call),
    messages: new Groups<Pick<MessageRow, 'run' | 'seq' | 'i'>, MessageRow>(
      undo,
      (a, b) => a.run - b.run || a.seq - b.seq || a.i - b.i,
    ),

    timers: new Groups<{ id: string }, TimerRow>(undo, (a, b) => compareText(a.id, b.id)),
    due: new Groups<Omit<TimerRow, 'event'>, TimerRow>(
      undo,
      (a, b) => a.dueAt - b.dueAt || a.run - b.run || compareText(a.id, b.id),
    ),

    /** By session. */
    grants: new Groups<{ n: number }, GrantRow & { revokedAt: number | null }>(undo, (a, b) => a.n - b.n),

    /** By {@link scoped} artifact id. */
    artifacts: new Lookup<string, ArtifactRow>(undo),
    /** The keys of a run in `artifacts`. */
    artifactsOfRun: new Groups<{ key: string }, { key: string }>(undo, (a, b) => compareText(a.key, b.key)),
    /** By tenant, oldest first. */
    usage: new Groups<Pick<UsageRow, 'at' | 'runId' | 'n' | 'i'>, UsageRow>(
      undo,
      (a, b) => a.at - b.at || compareText(a.runId, b.runId) || a.n - b.n || a.i - b.i,
    ),
    /** By tenant. */
    budgets: new Groups<Pick<StoredBudget, 'id' | 'period'>, StoredBudget>(
      undo,
      (a, b) => compareText(a.id, b.id) || compareText(a.period, b.period),
    ),
    /** By run. */
    holds: new Groups<{ n: number }, BudgetHold>(undo, (a, b) => a.n - b.n),
    /** All of them, by what they are held of. */
    budgetHolds: new Groups<Pick<BudgetHold, 'tenant' | 'budget' | 'period' | 'run' | 'n'>, BudgetHold>(
      undo,
      (a, b) =>
        a.tenant - b.tenant ||
        compareText(a.budget, b.budget) ||
        compareText(a.period, b.period) ||
        a.run - b.run ||
        a.n - b.n,
    ),
    /** By tenant. */
    cachedAnswers: new Groups<{ key: string }, { tenant: number; key: string; answer: string; at: number }>(
      undo,
      (a, b) => compareText(a.key, b.key),
    ),
    /** All of them, oldest first. */
    answersByAge: new Groups<
      { at: number; tenant: number; key: string },
      { at: number; tenant: number; key: string }
    >(undo, (a, b) => a.at - b.at || a.tenant - b.tenant || compareText(a.key, b.key)),
    drivers: new Lookup<number, { epoch: number; pid: number; startedAt: number; lastError: string | null }>(
      undo,
    ),
  };
}

export type Tables = ReturnType<typeof createTables>;

/** Key of a text that is unique within a number (tenant, run). */
export function scoped(scope: number, text: string): string {
  return `${scope} ${text}`;
}

/** Takes the key of a new row: one more than the greatest that there is, as SQLite does. */
export function nextPk(pks: Groups<{ pk: number }, { pk: number }>): number {
  const pk = (pks.of(everyRow).at(-1)?.pk ?? 0) + 1;
  pks.add(everyRow, { pk });
  return pk;
}

export function removePk(pks: Groups<{ pk: number }, { pk: number }>, pk: number): void {
  pks.remove(everyRow, { pk });
}

/** In order. */
export function everyPk(pks: Groups<{ pk: number }, { pk: number }>): readonly { pk: number }[] {
  return pks.of(everyRow);
}

/** The rows with the greatest keys, greatest first. */
export function newest<Row>(rows: readonly Row[], limit: number): Row[] {
  return rows.slice(Math.max(0, rows.length - limit)).reverse();
}

/** @throws DetentError `DATABASE_FAILED` when there is no such run, as a foreign key would. */
export function requireRun({ runs }: Tables, run: number): void {
  if (!runs.get(run)) throw constraintFailed(`no run ${run}`);
}

/** @throws DetentError `DATABASE_FAILED` when there is no such session, as a foreign key would. */
export function requireSession({ sessions }: Tables, session: number): SessionRow {
  const row = sessions.get(session);
  if (!row) throw constraintFailed(`no session ${session}`);
  return row;
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

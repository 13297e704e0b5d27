import type { Declared } from '../program.ts';
import type {
  AccessTokenRow,
  ArtifactRow,
  CommandRow,
  ConfirmationRow,
  DeliveryRow,
  DriverRow,
  EffectRow,
  EventRow,
  FireRow,
  GrantRow,
  HoldRow,
  JobRow,
  MessageRow,
  RequestKeyRow,
  RunRow,
  TaintedFile,
  TenantRow,
  TimerRow,
  UploadRow,
  UsageRow,
} from '../rows.ts';
import { constraintFailed } from './errors.ts';
import { Groups, Lookup } from './tables.ts';
import type { UndoLog } from './undo-log.ts';

/** The implementations of a subject's statements. */
export type Handlers<S extends Declared<S>> = {
  readonly [K in keyof S]: (input: S[K]['in']) => S[K]['out'];
};

export interface SessionRow {
  pk: number;
  tenant: number;
  key: string;
  user: string | null;
  headRun: number;
  headSeq: number;
  prunedRun: number;
  prunedSeq: number;
  createdAt: number;
}

/** The stored fields of a budget. The rest of a `BudgetRow` is the sum of its holds. */
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

/** One group for all due rows, because drivers ask for the soonest of all runs. */
export const everyRun = 0;
/** One group for all rows of a table. */
export const everyRow = 0;

/**
 * The tables, with the indexes that their statements need. Unlike the databases, it does not store the tenant in rows
 * that are found by a run or a session, and does not check that a tenant exists.
 */
export function createTables(undo: UndoLog) {
  return {
    /** The first one is in it once it has changed. */
    tenants: new Groups<{ id: number }, TenantRow>(undo, (a, b) => a.id - b.id),
    sessions: new Lookup<number, SessionRow>(undo),
    /** By {@link scoped} session key. */
    sessionKeys: new Lookup<string, number>(undo),
    sessionPks: new Groups<{ pk: number }, { pk: number }>(undo, (a, b) => a.pk - b.pk),
    sessionsOfTenant: new Groups<{ pk: number }, { pk: number }>(undo, (a, b) => a.pk - b.pk),

    /** The last key of each kind, also when its row was deleted. */
    lastPks: new Lookup<'sessionPks' | 'runPks', number>(undo),

    runs: new Lookup<number, RunRow>(undo),
    /** By {@link scoped} run id. */
    runIds: new Lookup<string, number>(undo),
    runPks: new Groups<{ pk: number }, { pk: number }>(undo, (a, b) => a.pk - b.pk),
    runsOfTenant: new Groups<{ pk: number }, { pk: number }>(undo, (a, b) => a.pk - b.pk),
    /** All runs of a session, and those that have not ended. */
    lanes: new Groups<{ ordinal: number }, Place>(undo, (a, b) => a.ordinal - b.ordinal),
    activeLanes: new Groups<{ ordinal: number }, Place>(undo, (a, b) => a.ordinal - b.ordinal),

    events: new Groups<{ seq: number }, EventRow>(undo, (a, b) => a.seq - b.seq),
    /** By tenant. */
    feed: new Groups<{ pos: number }, { pos: number; run: number; seq: number }>(
      undo,
      (a, b) => a.pos - b.pos,
    ),
    /** By run and dedupe key, written like a {@link scoped} id. */
    eventKeys: new Lookup<string, number>(undo),
    /** The keys of a run in `eventKeys`. */
    eventKeysOfRun: new Groups<{ key: string }, { key: string }>(undo, (a, b) => compareText(a.key, b.key)),
    effects: new Groups<{ n: number }, EffectRow>(undo, (a, b) => a.n - b.n),
    confirmations: new Groups<Pick<ConfirmationRow, 'call' | 'n'>, ConfirmationRow>(
      undo,
      (a, b) => a.call - b.call || a.n - b.n,
    ),
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
    /** All holds, by budget. */
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
    /** All answers, oldest first. */
    answersByAge: new Groups<
      { at: number; tenant: number; key: string },
      { at: number; tenant: number; key: string }
    >(undo, (a, b) => a.at - b.at || a.tenant - b.tenant || compareText(a.key, b.key)),
    accessTokens: new Lookup<string, AccessTokenRow>(undo),
    /** All tokens, oldest first. */
    tokensByAge: new Groups<
      Pick<AccessTokenRow, 'createdAt' | 'id'>,
      Pick<AccessTokenRow, 'createdAt' | 'id'>
    >(undo, (a, b) => a.createdAt - b.createdAt || compareText(a.id, b.id)),
    /** By {@link scoped} id. */
    uploads: new Lookup<string, UploadRow>(undo),
    /** All uploads, oldest first. */
    uploadsByAge: new Groups<{ createdAt: number; key: string }, { createdAt: number; key: string }>(
      undo,
      (a, b) => a.createdAt - b.createdAt || compareText(a.key, b.key),
    ),
    /** By tenant. `number` names the groups of its slots and deliveries. */
    jobs: new Groups<{ id: string }, JobRow & { number: number }>(undo, (a, b) => compareText(a.id, b.id)),
    /** By run. */
    jobsOfRuns: new Groups<{ id: string }, { id: string }>(undo, (a, b) => compareText(a.id, b.id)),
    /** By {@link scoped} id, also of jobs that are gone. */
    jobNumbers: new Lookup<string, number>(undo),
    /** By job. */
    fires: new Groups<{ n: number }, FireRow>(undo, (a, b) => a.n - b.n),
    /** The times of those that are slots, by job. */
    fireSlots: new Groups<{ slot: number }, { slot: number }>(undo, (a, b) => a.slot - b.slot),
    /** By job. */
    deliveries: new Groups<Pick<DeliveryRow, 'n' | 'target' | 'isAlert'>, DeliveryRow>(
      undo,
      (a, b) => a.n - b.n || a.isAlert - b.isAlert || a.target - b.target,
    ),
    /** By tenant. */
    taintedFiles: new Groups<{ path: string }, TaintedFile>(undo, (a, b) => compareText(a.path, b.path)),
    /** By {@link scoped} name. */
    requestKeys: new Lookup<string, RequestKeyRow>(undo),
    /** All of them, oldest first. */
    requestKeysByAge: new Groups<{ at: number; key: string }, { at: number; key: string; tenant: number }>(
      undo,
      (a, b) => a.at - b.at || compareText(a.key, b.key),
    ),
    drivers: new Lookup<number, DriverRow>(undo),
    commands: new Lookup<number, Omit<CommandRow, 'runId'>>(undo),
    /** By run. */
    commandsOf: new Groups<{ id: number }, { id: number }>(undo, (a, b) => a.id - b.id),
    /** Those without an outcome, in one group. */
    commandsOpen: new Groups<{ id: number }, { id: number }>(undo, (a, b) => a.id - b.id),
  };
}

export type Tables = ReturnType<typeof createTables>;

/** Makes a key from a text that is unique within a tenant or a run, and the number of that tenant or run. */
export function scoped(scope: number, text: string): string {
  return `${scope} ${text}`;
}

/** Returns the key of a new row, which no row had before. */
export function nextPk(tables: Tables, name: 'sessionPks' | 'runPks'): number {
  const pk = (tables.lastPks.get(name) ?? 0) + 1;
  tables.lastPks.set(name, pk);
  tables[name].add(everyRow, { pk });
  return pk;
}

export function removePk(pks: Groups<{ pk: number }, { pk: number }>, pk: number): void {
  pks.remove(everyRow, { pk });
}

/** All keys, in order. */
export function everyPk(pks: Groups<{ pk: number }, { pk: number }>): readonly { pk: number }[] {
  return pks.of(everyRow);
}

/** The rows with the greatest keys, in descending order. */
export function newest<Row>(rows: readonly Row[], limit: number): Row[] {
  return rows.slice(Math.max(0, rows.length - limit)).reverse();
}

/** @throws DetentError `DATABASE_FAILED` if the run does not exist, as a foreign key would. */
export function requireRun({ runs }: Tables, run: number): void {
  if (!runs.get(run)) throw constraintFailed(`no run ${run}`);
}

/** @throws DetentError `DATABASE_FAILED` if the session does not exist, as a foreign key would. */
export function requireSession({ sessions }: Tables, session: number): SessionRow {
  const row = sessions.get(session);
  if (!row) throw constraintFailed(`no session ${session}`);
  return row;
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Removes a run and its rows in other tables, which the databases delete by foreign keys. */
export function removeRun(tables: Tables, pk: number): void {
  const row = tables.runs.get(pk);
  if (!row) return;
  tables.events.clear(pk);
  for (const { key } of tables.eventKeysOfRun.clear(pk)) tables.eventKeys.delete(key);
  tables.effects.clear(pk);
  tables.confirmations.clear(pk);
  for (const timer of tables.timers.clear(pk)) tables.due.remove(everyRun, timer);
  for (const { key } of tables.artifactsOfRun.clear(pk)) tables.artifacts.delete(key);
  for (const hold of tables.holds.clear(pk)) tables.budgetHolds.remove(everyRow, hold);
  for (const { id } of tables.commandsOf.clear(pk)) {
    if (tables.commandsOpen.find(0, { id })) tables.commandsOpen.remove(0, { id });
    tables.commands.set(id, { id, tenant: row.tenant, run: 0, kind: '', body: '', outcome: '' });
  }
  tables.runs.delete(pk);
  tables.runIds.delete(scoped(row.tenant, row.id));
  tables.runsOfTenant.remove(row.tenant, row);
  removePk(tables.runPks, pk);
}

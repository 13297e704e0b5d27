import type { usageGroups } from '../protocol/enums.ts';
import type { Column, NameOf } from './schema/column.ts';
import type { tables } from './schema/tables.ts';

export type {
  ConfirmationStatus,
  EffectStatus,
  MessageRole,
  UsagePurpose,
} from './schema/tables.ts';

/** The rows that statements answer: the columns that `tables.ts` lists, as `column.ts` names them. */

export type TableName = keyof typeof tables;

/** The columns of a table, with the types of their values. */
export type Columns<T extends TableName> = {
  [C in keyof (typeof tables)[T] & string]: (typeof tables)[T][C] extends Column<infer V> ? V : never;
};

/** The columns of the rows that statements answer. */
export type RowColumn<T extends TableName> = {
  [C in keyof (typeof tables)[T] & string]: (typeof tables)[T][C] extends Column<unknown, true> ? never : C;
}[keyof (typeof tables)[T] & string];

/** A row of a table, as statements answer it. */
export type Row<T extends TableName> = { [C in RowColumn<T> as NameOf<C>]: Columns<T>[C & keyof Columns<T>] };

/** Input of every statement that reads by a name that users choose. */
export interface Scoped {
  tenant: number;
}

/** Part of the input of a statement that reads a page: it reads row by row, and ends once its rows have so many bytes. */
export interface PageLimit {
  /** Of what may be long in a row, as characters. A page has at least one row, however long, if there is one. Left out: all rows. */
  maxBytes?: number;
}

/** What may be long in a row: of a message or an event, or what an effect was asked for. */
export type LongRow = { body?: string; params?: string; input?: string | null };

/** Characters of a row that count for a page. */
export function textLength({ body = '', params = '', input }: LongRow): number {
  return body.length + params.length + (input?.length ?? 0);
}

export type TenantRow = Row<'tenants'>;

/** A run, with the key of its session and the user whom that belongs to. */
export type RunRow = Row<'runs'> & { sessionKey: string; user: string | null };

/** See the column `driver` of runs. No driver has this epoch. */
export const noDriver = 0;

/** A driver's runs, and those at rest: that a driver had last, or all. */
export interface TimersOf {
  me: number;
  last: number;
  allAtRest: 0 | 1;
}

/** Whether a driver has the run, or watches it while it is at rest. For a fork that no driver has had, no time passes. */
export function isWatched(
  { driver, lastDriver }: Pick<RunRow, 'driver' | 'lastDriver'>,
  { me, last, allAtRest }: TimersOf,
): boolean {
  if (driver === me) return true;
  return driver === noDriver && lastDriver !== null && (allAtRest === 1 || lastDriver === last);
}

/** What tells a driver whether it may take a run, without the long columns that it does not need for that. */
export type TakeableRun = Omit<
  Row<'runs'>,
  'state' | 'context' | 'input' | 'output' | 'faults' | 'createdAt' | 'updatedAt'
>;

/** The columns of a run that change whenever it moves, with its ids. */
export type RunMark = Pick<RunRow, 'pk' | 'id' | 'seq' | 'ended' | 'sessionKey'>;

export type EventRow = Row<'run_events'>;
export type EffectRow = Row<'effects'>;
export type TimerRow = Row<'timers'>;
export type DueTimer = TimerRow & { tenant: number; runId: string };
export type MessageRow = Row<'messages'>;
export type ConfirmationRow = Row<'confirmations'>;
export type GrantRow = Row<'grants'>;
export type ArtifactRow = Row<'artifacts'>;
export type UsageRow = Row<'usage'>;
export type HoldRow = Row<'budget_holds'>;
export type DriverRow = Row<'drivers'>;
export type LeavingRow = Row<'leavings'>;
export type UploadRow = Row<'uploads'>;
export type JobRow = Row<'jobs'>;
export type FireRow = Row<'job_fires'>;
export type DeliveryRow = Row<'deliveries'>;
export type NoticeRow = Row<'notices'>;
export type TaintedFile = Row<'tainted_files'>;
export type RequestKeyRow = Row<'request_keys'>;
export type AccessTokenRow = Row<'access_tokens'>;
export type CommandRow = Row<'commands'> & { runId: string };

/** A budget that runs share, in one of its periods. */
export type BudgetKey = Pick<Row<'budgets'>, 'id' | 'period'>;

/** A budget, with what is reserved for calls in flight by holds that have not expired. */
export interface BudgetRow extends Row<'budgets'> {
  heldTokens: number;
  heldCostUsd: number;
  holds: number;
}

/** What `sumUsage` groups by; `all` is one group. */
export type UsageGroup = 'all' | (typeof usageGroups)[number];

/** Calls of a group, added up. */
export interface UsageSum {
  key: string;
  calls: number;
  failed: number;
  /** Calls answered from the cache. */
  cached: number;
  /** Calls without a known price; `costUsd` does not include them. */
  unpriced: number;
  /** Calls with tokens that Detent estimated, because their answers broke off. */
  estimated: number;
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  /** Null when tokens were used and no call has a known price. */
  costUsd: number | null;
}

/** The sum of no calls. */
export const noCalls: UsageSum = {
  key: '',
  calls: 0,
  failed: 0,
  cached: 0,
  unpriced: 0,
  estimated: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  costUsd: 0,
};

/** The error because of which a driver gave a fact up; see the statement `noteDriverError`. */
export interface DriverError {
  runId: string;
  /** Milliseconds since the epoch. */
  at: number;
  code: string;
  message: string;
}

/** A job with what its run says of it. */
export type JobWithRun = JobRow &
  Pick<RunRow, 'state' | 'context' | 'ended' | 'driver' | 'lastDriver'> & {
    /** When its run last moved. */
    movedAt: number;
  };

/** What tells a driver whether it takes a run. */
export type AbandonedRun = Pick<RunRow, 'pk' | 'tenant' | 'id' | 'session' | 'lastDriver' | 'updatedAt'>;

/** A question of which a hook is to be told, and its run. */
export interface UntoldRow extends ConfirmationRow {
  tenant: number;
  runId: string;
  lastDriver: number | null;
}

/** A transition in the feed of its tenant, and the run. */
export interface FeedRow extends Pick<EventRow, 'seq' | 'type' | 'at' | 'path'> {
  pos: number;
  runId: string;
  sessionKey: string;
  machine: string;
  /** 1 if the run has ended with it. */
  ended: 0 | 1;
}

/** Runs in a state. */
export interface StateCount {
  machine: string;
  /** JSON. */
  state: string;
  /** 1 for forks that no driver has had, 0 for all others. */
  unstarted?: 0 | 1;
  /** Of runs that have not ended. */
  driver?: number | null;
  runs: number;
}

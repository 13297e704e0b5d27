import type {
  ArtifactRow,
  BudgetKey,
  BudgetRow,
  ConfirmationRow,
  ConfirmationStatus,
  DriverError,
  EffectRow,
  EffectStatus,
  EventRow,
  GrantRow,
  HoldRow,
  MessageRow,
  RunMark,
  RunRow,
  TimerRow,
  UsageGroup,
  UsageRow,
  UsageSum,
} from './rows.ts';

/**
 * What a store can be asked, by name. Both databases and the in-process store implement exactly these, so that one
 * commit program serves all. Rows carry JSON as text; ids named `run` and `session` are the store's integers.
 */

interface Scoped {
  tenant: number;
}

/** `was` is the `seq` before. */
type Advance = Pick<RunRow, 'pk' | 'seq' | 'fence' | 'state' | 'context' | 'updatedAt'> & { was: number };

/** Input and output of every statement. A `number` output counts changed rows. */
export interface Statements {
  /** Makes the tenant known when it is not yet. */
  ensureTenant: { in: Scoped; out: number };
  findSession: {
    in: Scoped & { key: string };
    out: { pk: number; headRun: number; headSeq: number; prunedRun: number; prunedSeq: number } | undefined;
  };
  insertSession: { in: Scoped & { key: string; at: number }; out: { pk: number } };
  listSessions: {
    in: Scoped & { limit: number };
    out: { pk: number; key: string; createdAt: number; runs: number }[];
  };
  /** What a list shows of a session besides its runs. */
  describeSession: {
    in: { session: number };
    /** `messages` without summaries; `updatedAt`: when a run of it last moved; null without runs. */
    out: { createdAt: number; messages: number; updatedAt: number | null } | undefined;
  };
  /** With everything that belongs to them but their messages. */
  deleteRunsOf: { in: { session: number }; out: number };
  /** With its messages; its runs must be gone. */
  deleteSession: { in: { session: number }; out: number };
  moveSessionHead: { in: { session: number; run: number; seq: number }; out: number };
  /** How far the prompt shows old results of tools in short. */
  moveSessionPruning: { in: { session: number; run: number; seq: number }; out: number };

  insertRun: {
    in: Omit<RunRow, 'pk' | 'sessionKey' | 'faults' | 'updatedAt'>;
    out: { pk: number };
  };
  loadRun: { in: Scoped & { id: string }; out: RunRow | undefined };
  /** Moves a run that goes on; 0 when it has moved, or is another driver's. */
  advanceRun: { in: Advance; out: number };
  /** The same for its last transition: apart, because what says which runs are active is indexed. */
  endRun: { in: Advance & Pick<RunRow, 'output'>; out: number };
  /** A run becomes one of another version of its machine; 0 when it has moved, has ended, or is another driver's. */
  migrateRun: {
    in: Pick<RunRow, 'pk' | 'seq' | 'fence' | 'version' | 'state' | 'context'> & { was: number };
    out: number;
  };
  claimRun: { in: { pk: number; fence: number }; out: number };
  countFault: { in: { pk: number }; out: number };
  lastOrdinal: { in: { session: number }; out: { ordinal: number | null } | undefined };
  /** The first run of the lane that has not ended. */
  laneHead: { in: { session: number }; out: RunRow | undefined };
  /** All runs that have not ended, of every tenant: for drivers alone. */
  listActiveRuns: { in: Record<string, never>; out: RunRow[] };
  listActiveRunsOf: { in: { session: number }; out: RunRow[] };
  /** Newest first. */
  listRuns: { in: Scoped & { limit: number }; out: RunRow[] };
  listRunsOf: { in: { session: number; limit: number }; out: RunRow[] };
  /** Oldest first, those that were made after the run `after`; what tells whether one has moved. */
  listRunMarks: { in: Scoped & { after: number; limit: number }; out: RunMark[] };

  insertEvent: { in: EventRow & Scoped & { key: string | null }; out: number };
  findEventByKey: { in: { run: number; key: string }; out: { seq: number } | undefined };
  listEvents: { in: { run: number; after: number; limit: number }; out: EventRow[] };

  insertEffect: { in: EffectRow & Scoped & { at: number }; out: number };
  /**
   * From held, pending, uncertain, or started by an older fence; `attempts` is added: 1 for a driver who performs it
   * now, 0 when it is left `pending` for one.
   */
  startEffect: {
    in: { run: number; n: number; fence: number; status: 'started' | 'pending'; attempts: 0 | 1; at: number };
    out: number;
  };
  settleEffect: { in: { run: number; n: number; status: EffectStatus; at: number }; out: number };
  /** A driver that stops in order gives back its attempt: only those that end in a crash count. */
  uncountAttempt: { in: { run: number; n: number; fence: number }; out: number };
  closeEffect: { in: { run: number; n: number; at: number }; out: number };
  changeEffectInput: { in: { run: number; n: number; input: string }; out: number };
  changeEffect: { in: { run: number; n: number; name: string; params: string }; out: number };
  findEffect: { in: { run: number; n: number }; out: EffectRow | undefined };
  /** Neither done nor cancelled. */
  listOpenEffects: { in: { run: number }; out: EffectRow[] };
  listEffects: { in: { run: number }; out: EffectRow[] };

  setTimer: { in: TimerRow & Scoped; out: number };
  clearTimer: { in: { run: number; id: string }; out: number };
  fireTimer: { in: { run: number; id: string; dueAt: number }; out: number };
  listTimers: { in: { run: number }; out: TimerRow[] };
  /** Soonest first, of runs whose fence is at least `fence`. */
  listDueTimers: {
    in: { fence: number; before: number; limit: number };
    out: (TimerRow & { tenant: number; runId: string })[];
  };
  nextTimer: { in: { fence: number }; out: { dueAt: number | null } | undefined };

  insertMessage: { in: MessageRow & Scoped; out: number };
  /** In the order of writing, from a place in the session on. */
  listMessages: { in: { session: number; run: number; seq: number }; out: MessageRow[] };
  listMessagesOfRun: { in: { session: number; run: number }; out: MessageRow[] };
  /** Newest first, those of a session before a run. */
  listMessagesBefore: { in: { session: number; run: number; limit: number }; out: MessageRow[] };
  lastSummary: { in: { session: number }; out: MessageRow | undefined };
  /** In the order of writing. */
  listSummaries: { in: { session: number }; out: MessageRow[] };

  insertConfirmation: { in: Omit<ConfirmationRow, 'decision' | 'status'> & Scoped; out: number };
  /** First answer wins: 0 when it is not open. */
  decideConfirmation: {
    in: { run: number; call: number; status: ConfirmationStatus; decision: string };
    out: number;
  };
  findConfirmation: { in: { run: number; call: number }; out: ConfirmationRow | undefined };
  listConfirmations: { in: { run: number }; out: ConfirmationRow[] };

  /** Gives it the next number of its session. */
  insertGrant: { in: Omit<GrantRow, 'n'> & Scoped; out: { n: number } };
  /** Those in force, first ones first. */
  listGrants: { in: { session: number }; out: GrantRow[] };
  /** Its row stays, and so does its number; 0 when it is not in force. */
  revokeGrant: { in: { session: number; n: number; at: number }; out: number };

  insertArtifact: { in: ArtifactRow & Scoped; out: number };
  findArtifact: { in: Scoped & { id: string }; out: ArtifactRow | undefined };

  /** A call that is known already is left as it is: 0. */
  insertUsage: { in: UsageRow & Scoped; out: number };
  /** The calls of a run, in order. */
  listUsageOf: { in: Scoped & { runId: string }; out: UsageRow[] };
  /** The calls stay; whose they were is not told any more. */
  forgetSessionUsage: { in: Scoped & { sessionKey: string }; out: number };
  /** From `from` on, before `to`; of one session or run, or of all. The group that was used last comes first. */
  sumUsage: {
    in: Scoped & {
      by: UsageGroup;
      from: number;
      to: number;
      sessionKey: string | null;
      runId: string | null;
      limit: number;
    };
    out: UsageSum[];
  };

  /** Makes a period of a budget, or gives it other limits. */
  ensureBudget: {
    in: Scoped & BudgetKey & Pick<BudgetRow, 'maxTokens' | 'maxCostUsd'> & { at: number };
    out: number;
  };
  /** Leaves out what is held for effect `n` of `run`. */
  findBudget: {
    in: Scoped & BudgetKey & { now: number; run: number; n: number };
    out: BudgetRow | undefined;
  };
  /** Those of three periods: the empty one, a `day` and a `month`. */
  listBudgets: { in: Scoped & { day: string; month: string; now: number }; out: BudgetRow[] };
  spendBudget: {
    in: Scoped & BudgetKey & { tokens: number; costUsd: number; at: number };
    out: number;
  };
  /** Takes the place of an earlier hold for the same effect. */
  putHold: { in: HoldRow & Scoped; out: number };
  findHold: { in: { run: number; n: number }; out: HoldRow | undefined };
  deleteHold: { in: { run: number; n: number }; out: number };
  deleteHoldsOf: { in: { run: number }; out: number };
  /** Those of runs whose fence is below `fence`. */
  deleteStaleHolds: { in: { fence: number }; out: number };

  /** Not older than `since`. */
  findAnswer: {
    in: Scoped & { key: string; since: number };
    out: { answer: string; at: number } | undefined;
  };
  /** Takes the place of an earlier one. */
  putAnswer: { in: Scoped & { key: string; answer: string; at: number }; out: number };
  /** Those of every tenant: for drivers alone. */
  deleteAnswersBefore: { in: { before: number }; out: number };
  deleteAnswersOf: { in: Scoped; out: number };

  insertDriver: { in: { pid: number; at: number }; out: { epoch: number } };
  findDriver: {
    in: { epoch: number };
    out: { epoch: number; pid: number; startedAt: number; lastError: string | null } | undefined;
  };
  /** `error` is a {@link DriverError}, JSON. */
  noteDriverError: { in: { epoch: number; error: string }; out: number };
  lastDriver: { in: Record<string, never>; out: { epoch: number; pid: number } | undefined };
}

export type StatementName = keyof Statements;
export type In<K extends StatementName> = Statements[K]['in'];
export type Out<K extends StatementName> = Statements[K]['out'];

/** One request of a program: a statement's name and its input. */
export type Request = { [K in StatementName]: readonly [K, In<K>] }[StatementName];

/** A computation that asks a store and cannot await: a synchronous runner keeps awaits out of transactions. */
export type Program<T> = Generator<Request, T, unknown>;

/** Asks one statement, typed: `const row = yield* ask('loadRun', { tenant, id })`. */
export function* ask<K extends StatementName>(name: K, input: In<K>): Program<Out<K>> {
  return (yield [name, input] as unknown as Request) as Out<K>;
}

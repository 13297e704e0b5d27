/**
 * What a store can be asked, by name. Both databases and the in-process store implement exactly these, so that one
 * commit program serves all. Rows carry JSON as text; ids named `run` and `session` are the store's integers.
 */

export interface RunRow {
  pk: number;
  tenant: number;
  id: string;
  session: number;
  sessionKey: string;
  /** Place in its session's lane. */
  ordinal: number;
  machine: string;
  version: number;
  /** Transitions committed so far. */
  seq: number;
  /** 0 while the machine runs, 1 once it reached a final state. */
  ended: number;
  /** The state value, JSON. */
  state: string;
  context: string;
  /** What the machine was created with, JSON. */
  input: string;
  /** What the host needs to perform effects (model, tools, policy), JSON; the machine never sees it. */
  options: string;
  /** The machine's output once ended, JSON. */
  output: string | null;
  /** Who may write: grows with every take-over. */
  fence: number;
  /** Events that made the machine throw. */
  faults: number;
  createdAt: number;
  updatedAt: number;
}

export interface EventRow {
  run: number;
  seq: number;
  type: string;
  /** The event without `type` and `at`, JSON. */
  body: string;
  at: number;
  /** Dotted state path after it. */
  path: string;
  /** Hash of the context after it. */
  hash: string;
}

/**
 * `held` waits for a decision or its turn, `pending` for a driver, `started` for its fact; `uncertain` was interrupted
 * and nobody knows what became of it; `done` and `cancelled` are over.
 */
export type EffectStatus = 'held' | 'pending' | 'started' | 'uncertain' | 'done' | 'cancelled';

export interface EffectRow {
  run: number;
  n: number;
  name: string;
  params: string;
  /** Bytes for the executor alone, never redacted: a tool call's name and arguments. */
  input: string | null;
  status: EffectStatus;
  attempt: number;
  fence: number;
}

export interface TimerRow {
  run: number;
  id: string;
  event: string;
  dueAt: number;
}

export type MessageRole = 'user' | 'assistant' | 'tool' | 'summary';

export interface MessageRow {
  session: number;
  run: number;
  seq: number;
  /** Place among the messages of one transition. */
  i: number;
  role: MessageRole;
  body: string;
  at: number;
}

export type ConfirmationStatus =
  | 'open'
  | 'approved'
  | 'modified'
  | 'rejected'
  | 'expired'
  | 'withdrawn'
  | 'settled';

export interface ConfirmationRow {
  run: number;
  call: number;
  kind: string;
  status: ConfirmationStatus;
  /** Of the argument bytes that were shown. */
  hash: string;
  /** Tool name, redacted arguments, why it is asked: JSON. */
  body: string;
  /** Who decided what, JSON. */
  decision: string | null;
  askedAt: number;
}

export interface ArtifactRow {
  id: string;
  run: number;
  mime: string;
  body: string;
  createdAt: number;
}

interface Scoped {
  tenant: number;
}

/** What made a driver give a fact up; see the statement `noteDriverError`. */
export interface DriverError {
  runId: string;
  /** Milliseconds since the epoch. */
  at: number;
  code: string;
  message: string;
}

/** `was` is the `seq` before. */
type Advance = Pick<RunRow, 'pk' | 'seq' | 'fence' | 'state' | 'context' | 'updatedAt'> & { was: number };

/** Input and output of every statement. A `number` output counts changed rows. */
export interface Statements {
  /** Makes the tenant known when it is not yet. */
  ensureTenant: { in: Scoped; out: number };
  findSession: {
    in: Scoped & { key: string };
    out: { pk: number; headRun: number; headSeq: number } | undefined;
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
  lastSummary: { in: { session: number }; out: MessageRow | undefined };

  insertConfirmation: { in: Omit<ConfirmationRow, 'decision' | 'status'> & Scoped; out: number };
  /** First answer wins: 0 when it is not open. */
  decideConfirmation: {
    in: { run: number; call: number; status: ConfirmationStatus; decision: string };
    out: number;
  };
  findConfirmation: { in: { run: number; call: number }; out: ConfirmationRow | undefined };
  listConfirmations: { in: { run: number }; out: ConfirmationRow[] };

  insertArtifact: { in: ArtifactRow & Scoped; out: number };
  findArtifact: { in: Scoped & { id: string }; out: ArtifactRow | undefined };

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

import { Fold, type FoldedTransition, firstVersion } from '../../engine/log.ts';
import {
  begin,
  foldActions,
  type MachineHost,
  type MachineHosts,
  type MigratedBody,
  migrated,
  migratedEvent,
  stepsFrom,
} from '../../engine/machine.ts';
import type { QuestionKind } from '../../protocol/enums.ts';
import { DetentError } from '../../protocol/error.ts';
import type { QuestionView } from '../../protocol/views.ts';
import type { ConfirmationStatus, EventRow, RunRow } from '../../store/rows.ts';
import { type Decision, isOpen, isOpenEffect, type LogEvent, logEvent } from '../../store/stored-call.ts';
import { waitsIn } from '../story/waits.ts';

/** An effect's row at a transition. `open`: without a fact; the log does not say whether a process performs it. */
export interface EffectAt {
  name: string;
  /** JSON. */
  params: string;
  status: 'held' | 'open' | 'uncertain' | 'done' | 'cancelled';
}

export interface ConfirmationAt {
  kind: QuestionKind;
  status: ConfirmationStatus;
  askedAt: number;
  /** Null while it is open, or when the log does not have it. */
  decision: Decision | null;
  /** The question of a running call. */
  asked?: { question: QuestionView; key: string };
}

/** The rows of a run at one transition, computed from its log alone. */
export interface RunAt {
  seq: number;
  /** Of its machine. */
  version: number;
  /** Of the transition, milliseconds since the epoch. */
  at: number;
  /** Time of the last transition that was not a migration: working time counts up to then. */
  workedAt: number;
  /** State value and context, as they are stored. */
  state: string;
  context: string;
  ended: boolean;
  /** By number. */
  effects: Map<number, EffectAt>;
  timers: Map<string, { event: string; dueAt: number }>;
  /** The questions about each call, oldest first. */
  confirmations: Map<number, ConfirmationAt[]>;
  /** Calls whose arguments a person had changed by then. */
  modified: Set<number>;
}

/** The status of an effect after a fact other than an ordinary result. */
const settledAs: Readonly<Record<string, EffectAt['status']>> = {
  'tool.uncertain': 'uncertain',
  'effect.poisoned': 'cancelled',
  'service.uncertain': 'uncertain',
  // The effect began a run, and ends with it.
  'service.began': 'open',
};

/** Folds a log, transition by transition, to the rows at that point: the requested effects, the set timers and the open questions. */
export class RowsAt {
  readonly #machines: Pick<MachineHosts, 'of'>;
  readonly #row: RunRow;
  readonly #fold: Fold;
  readonly #createdAt: number;
  #run: RunAt | null = null;

  /**
   * @param starts the log's first event and its migrations, later ones than those that are taken included.
   * @throws DetentError as `fold` does.
   */
  constructor(
    machines: Pick<MachineHosts, 'of'>,
    row: RunRow,
    starts: readonly EventRow[],
    redact: (text: string) => string,
  ) {
    this.#machines = machines;
    this.#row = { ...row, version: firstVersion(row, starts) };
    this.#fold = Fold.of(machines, row, starts, redact);
    // The log of a fork is older than its row.
    this.#createdAt = Math.min(row.createdAt, starts[0]?.at ?? row.createdAt);
  }

  /** @throws Diverged, DetentError as `fold` does. */
  take(next: EventRow): void {
    const transition = this.#fold.next(next);
    const row = this.#row;
    const run = this.#run ?? begun(beginner(this.#machines, row, transition), row, this.#createdAt);
    this.#run = run;
    const { event, host, snapshot, actions, context } = transition;
    const { seq, at } = event;
    const fact = event.type === migratedEvent ? null : logEvent(event);
    if (fact) {
      settle(run, fact);
      run.workedAt = at;
    } else migrate(run, transition, row);
    write(run, host, actions, at, fact);
    const state = JSON.stringify(snapshot.value);
    const ended = snapshot.status !== 'active';
    Object.assign(run, { seq, version: host.version, at, state, context, ended });
  }

  end(): RunAt {
    return this.#run ?? begun(this.#machines.of(this.#row), this.#row, this.#createdAt);
  }
}

/** The version that created a run: a queued run may be migrated before its first transition. */
function beginner(
  machines: Pick<MachineHosts, 'of'>,
  row: RunRow,
  { event, hostBefore }: FoldedTransition,
): MachineHost {
  if (event.type !== migratedEvent) return hostBefore;
  const { from } = JSON.parse(event.body) as MigratedBody;
  return machines.of({ ...row, version: from });
}

function begun(host: MachineHost, row: RunRow, at: number): RunAt {
  const { snapshot, actions } = begin(host, JSON.parse(row.input));
  const run: RunAt = {
    seq: 0,
    version: host.version,
    at,
    workedAt: at,
    state: JSON.stringify(snapshot.value),
    context: JSON.stringify(snapshot.context),
    ended: false,
    effects: new Map(),
    timers: new Map(),
    confirmations: new Map(),
    modified: new Set(),
  };
  write(run, host, actions, at, null);
  return run;
}

/** The changes that the commit of an event makes before the machine's transition. */
function settle({ effects, timers }: RunAt, { type, effectId }: LogEvent): void {
  if (typeof effectId === 'number') change(effects, effectId, settledAs[type] ?? 'done');
  for (const [id, timer] of timers) if (timer.event === type) timers.delete(id);
}

/** The rows that a decision and the actions of a transition write. */
function write(
  run: RunAt,
  host: MachineHost,
  actions: FoldedTransition['actions'],
  at: number,
  event: LogEvent | null,
): void {
  const folded = foldActions(host, actions);
  const { effects, timers, confirmations } = run;
  for (const n of folded.held)
    effects.set(n, { name: host.heldEffect, params: JSON.stringify({ effectId: n }), status: 'held' });
  for (const { n, name, params } of folded.effects)
    if (effects.has(n)) change(effects, n, 'open');
    else effects.set(n, { name, params: JSON.stringify(params), status: 'open' });
  for (const n of folded.aborted) cancel(effects, n);
  for (const wait of waitsIn(event, folded.rows)) {
    const { call, kind } = wait;
    const question = confirmations.get(call)?.find(isOpen);
    if (kind === null) {
      const { status, verdict, why, isOver } = wait;
      if (isOver) cancel(effects, call);
      if (!question) continue;
      Object.assign(question, { status, decision: { verdict, at, ...why } });
      if (status === 'modified' && question.kind !== 'question') run.modified.add(call);
      continue;
    }
    const { question: words, key } = (event ?? {}) as LogEvent & NonNullable<ConfirmationAt['asked']>;
    const asked = kind === 'question' && event ? { asked: { question: words, key } } : {};
    const decided = (confirmations.get(call) ?? []).filter((one) => one !== question);
    const begun = { kind, status: 'open' as const, askedAt: at, decision: null, ...asked };
    confirmations.set(call, [...decided, begun]);
  }
  for (const [id, timer] of folded.timers)
    if (timer) timers.set(id, { event: timer.event, dueAt: at + timer.delayMs });
    else timers.delete(id);
}

/** The changes of a migration to the rows; the log has only its changes to state and context. */
function migrate(run: RunAt, { event, host }: FoldedTransition, row: RunRow): void {
  const { version, state, context } = run;
  const steps = stepsFrom(version, host);
  if (steps.length === 0)
    throw new DetentError(
      'MIGRATION_NEEDED',
      `run ${row.id} was migrated from version ${version} of machine "${host.id}" at seq ${event.seq}, and this program has no such migration; use the program that migrated it`,
      { details: { runId: row.id, seq: event.seq, version } },
    );
  const open = [...run.effects].filter(([, effect]) => isOpenEffect(effect));
  const rows = {
    timers: [...run.timers].map(([id, timer]) => ({ run: row.pk, id, ...timer })),
    effects: open.map(([n, { name, params }]) => {
      return {
        run: row.pk,
        n,
        name,
        params,
        input: null,
        status: 'pending' as const,
        attempt: 0,
        driver: null,
        fence: 0,
      };
    }),
  };
  migrated({ ...row, version, state, context }, { host, steps }, { run: row.pk, rows, at: event.at });
  run.timers = new Map(rows.timers.map(({ id, event, dueAt }) => [id, { event, dueAt }]));
  for (const { n, name, params } of rows.effects) Object.assign(run.effects.get(n) ?? {}, { name, params });
}

function change(effects: RunAt['effects'], n: number, status: EffectAt['status']): void {
  const effect = effects.get(n);
  if (effect) effects.set(n, { ...effect, status });
}

function cancel(effects: RunAt['effects'], n: number): void {
  if (effects.get(n)?.status !== 'done') change(effects, n, 'cancelled');
}

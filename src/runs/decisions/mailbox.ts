import { type Hints, noHints } from '../../engine/bus.ts';
import type { Clock } from '../../engine/clock.ts';
import {
  type ChildEnd,
  childEnded,
  isFenced,
  notFound,
  type Repeatable,
  Settled,
} from '../../engine/commit.ts';
import type { Engine } from '../../engine/engine.ts';
import type { EngineEvent } from '../../engine/machine.ts';
import type { ContentPart } from '../../protocol/content.ts';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { isObject } from '../../protocol/json.ts';
import { type CommandRow, noDriver, type RunRow } from '../../store/rows.ts';
import type { StoredTaint } from '../../store/stored-message.ts';
import type { OfCommand } from '../rows/keyed-requests.ts';
import { ask, type Store } from '../rows/statements.ts';
import type { NewTakeover } from '../takeover/begin-takeover.ts';
import type { KeptRequest } from '../takeover/keep-request.ts';
import type { ConfirmDecision, ReconcileDecision } from './decisions.ts';

/** A command of a person or a program to a run, in a form that another process can read. */
export type Command = Repeatable &
  (
    | { kind: 'confirm'; call: number; decision: ConfirmDecision }
    | { kind: 'reconcile'; call: number; decision: ReconcileDecision }
    /**
     * `left`: the run that began this one has left it, and no caller waits for the outcome. `takeover`: what takes the place of the run in
     * its session, in the same commit.
     */
    | { kind: 'cancel'; reason?: string; by?: string; left?: true; takeover?: NewTakeover }
    | {
        kind: 'message';
        text: string;
        mayApprove?: boolean;
        by?: string;
        parts?: readonly ContentPart[];
        tainted?: readonly StoredTaint[];
        keeps?: KeptRequest;
      }
    /** An event for another machine than that of agent runs. */
    | { kind: 'event'; event: EngineEvent }
    /** A run that this one began, and waits for, has ended. */
    | ({ kind: typeof childEnded } & ChildEnd)
  );

/** What comes with a message to a run. */
export interface MessageExtra extends OfCommand {
  /** Who says it. */
  by?: string | undefined;
  mayApprove?: boolean | undefined;
  tainted?: readonly StoredTaint[] | undefined;
  /** Of a message to a takeover. */
  keeps?: KeptRequest | undefined;
}

/** The row of a command, which the commit of its transition settles. */
export type Letter = number | undefined;

type Outcome =
  | { value: unknown }
  | { error: { code: string; message: string; details?: Record<string, unknown> } };

/** How long a live process may take before the caller gets `DRIVER_SILENT`. */
const patienceMs = 30_000;
const lookEveryMs = 15;
/** How often a caller checks whether the other process is still alive, and sends another hint. */
const hintEveryMs = 500;
/** A run may change hands while a command is on its way. */
const maxTries = 20;

interface MailboxOptions {
  store: Store;
  engine: Engine;
  hints: Hints;
  clock: Pick<Clock, 'now'>;
  /** Gets why a command that no caller waits for could not be delivered, once. */
  report(error: unknown, runId: string): void;
}

/**
 * Commands to runs that other processes drive. Each is a committed row: the process that drives the run delivers it and
 * writes its outcome, both in the commit of the transition, so it is delivered once at most.
 */
export class Mailbox {
  readonly #options: MailboxOptions;
  readonly #sending = new Set<Promise<unknown>>();
  /** Commands whose failure was reported. */
  readonly #reported = new Set<number>();
  #isClosed = false;

  constructor(options: MailboxOptions) {
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Withdraws the commands that no process has delivered yet. Call it while the store is open. */
  async stop(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#sending);
  }

  /**
   * Delivers a command here or through the process that drives the run, and waits for its outcome.
   *
   * @param perform delivers it here.
   * @throws DetentError what `perform` throws, here or there; `DRIVER_SILENT` when the other process is alive but does
   * not answer; `CLOSED` when this process closes meanwhile, and then the command was withdrawn.
   */
  async send<T>(
    tenant: number,
    runId: string,
    command: Command,
    perform: (letter: Letter) => Promise<T>,
  ): Promise<T> {
    const sending = Promise.withResolvers<void>();
    this.#sending.add(sending.promise);
    try {
      let letter: Letter;
      for (let tries = 1; ; tries++) {
        try {
          const value = await perform(letter);
          if (letter === undefined || (await this.#settle(letter, { value }))) return value;
          throw new Settled();
        } catch (error) {
          if (letter !== undefined && error instanceof Settled)
            return opened<T>((await this.#outcomeOf(letter, runId)) ?? '');
          const isShared = this.#options.hints !== noHints;
          if (!isShared || !isFenced(error) || tries >= maxTries) {
            // The command must not be delivered after its caller got an error.
            if (letter === undefined || (await this.#settle(letter, { error: plain(error) }))) throw error;
            return opened<T>((await this.#outcomeOf(letter, runId)) ?? '');
          }
        }
        const row = await this.#options.store.query('loadRun', { tenant, id: runId });
        if (!row) throw notFound(runId);
        const driver = await this.#options.engine.driverElsewhere(row);
        if (driver === null) continue;
        if (this.#isClosed && letter === undefined) throw closed(runId);
        letter ??= await this.#post(row, command);
        const outcome = await this.#answer(letter, row, driver);
        if (outcome !== null) return opened<T>(outcome);
      }
    } finally {
      this.#sending.delete(sending.promise);
      sending.resolve();
    }
  }

  /**
   * Delivers the commands that wait for this driver's runs, in their order; then, as far as this process may, those
   * that no caller waits for and no driver looks for.
   *
   * @param mayCancel whether it may cancel runs that it does not drive
   */
  async deliver(
    perform: (tenant: number, runId: string, command: Command, letter: number) => Promise<unknown>,
    mayCancel = this.#options.engine.me !== null,
  ) {
    for (const row of await this.#waiting(mayCancel)) {
      const { id, tenant, runId, kind, body } = row;
      if (this.#isClosed) return;
      try {
        const value = await perform(tenant, runId, commandOf(kind, body), id);
        await this.#settle(id, { value });
      } catch (error) {
        // Fenced, or closed meanwhile: the next process that has the run delivers it.
        if (error instanceof Settled || isFenced(error) || isClosed(error)) continue;
        if (!hasNoCaller(row)) await this.#settle(id, { error: plain(error) });
        // The command waits for the next look, or for a process that can deliver it.
        else if (!this.#reported.has(id)) {
          this.#reported.add(id);
          this.#options.report(error, runId);
        }
      }
    }
  }

  async #waiting(mayCancel: boolean): Promise<CommandRow[]> {
    const { store, engine } = this.#options;
    const rows = engine.me === null ? [] : await store.query('listCommandsFor', { driver: engine.me });
    if (engine.me === null && !mayCancel) return rows;
    for (const row of await store.query('listLeftCommands', {}))
      if (hasNoCaller(row) && (row.kind === 'cancel' ? mayCancel : await this.#mayTell(row))) rows.push(row);
    return rows;
  }

  /**
   * Whether the run is at rest, and this process drives its session. A run that wants a driver gets one first; a run
   * that has ended needs none.
   */
  async #mayTell({ tenant, runId }: CommandRow): Promise<boolean> {
    const { store, engine } = this.#options;
    const run = await store.query('loadRun', { tenant, id: runId });
    if (!run) return false;
    return run.ended === 1 || (run.driver === noDriver && engine.covers(run));
  }

  /** Writes the outcome of a command. False if it has one already: that one counts. */
  async #settle(id: number, outcome: Outcome): Promise<boolean> {
    const { clock, store } = this.#options;
    const row = { id, outcome: JSON.stringify(outcome), at: clock.now() };
    return (await store.commit(() => ask('settleCommand', row))) > 0;
  }

  async #post({ tenant, pk: run }: RunRow, { kind, ...rest }: Command): Promise<number> {
    const { clock, store } = this.#options;
    const row = { tenant, run, kind, body: JSON.stringify(rest), at: clock.now() };
    return (await store.commit(() => ask('insertCommand', row))).id;
  }

  /** The outcome of a command; null when the run lost its driver before the delivery. */
  async #answer(letter: number, row: RunRow, driver: number): Promise<string | null> {
    const { hints, engine, store } = this.#options;
    const since = performance.now();
    let hinted = Number.NEGATIVE_INFINITY;
    for (;;) {
      const outcome = await this.#outcomeOf(letter, row.id);
      if (outcome !== null) return outcome;
      const now = performance.now();
      if (now - hinted >= hintEveryMs) {
        hinted = now;
        hints.send(driver);
        const current = await store.query('loadRun', { tenant: row.tenant, id: row.id });
        if (!current || (await engine.driverElsewhere(current)) === null) return null;
      }
      if (this.#isClosed) {
        await this.#settle(letter, { error: plain(closed(row.id)) });
        continue;
      }
      if (now - since >= patienceMs) {
        if (await this.#settle(letter, { error: await this.#silence(row, driver) })) continue;
      }
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  }

  async #outcomeOf(id: number, runId: string): Promise<string | null> {
    const row: CommandRow | undefined = await this.#options.store.query('findCommand', { id });
    if (!row) throw notFound(runId);
    return row.outcome;
  }

  async #silence({ id }: RunRow, driver: number): Promise<{ code: string; message: string }> {
    const pid = (await this.#options.store.query('findDriver', { epoch: driver }))?.pid;
    const who = pid === undefined ? 'another process' : `process ${pid}`;
    return {
      code: 'DRIVER_SILENT',
      message: `${who} drives run ${id} and does not answer; nothing was changed. Let it go on (fg), or end it${pid === undefined ? '' : ` (kill ${pid})`}, and try again`,
    };
  }
}

function closed(runId: string): DetentError {
  return new DetentError(
    'CLOSED',
    `this Detent was closed before the process that drives run ${runId} accepted the command; nothing changed`,
  );
}

/** What the commit of a command's transition writes. */
export function settlesWith(letter: Letter, value: unknown): { settles?: { id: number; outcome: string } } {
  if (letter === undefined) return {};
  return { settles: { id: letter, outcome: JSON.stringify({ value } satisfies Outcome) } };
}

/**
 * Reads a command from its row. A decision is checked where it is performed.
 *
 * @throws DetentError `UNKNOWN_COMMAND` when this program does not know such a command.
 */
function commandOf(kind: string, body: string): Command {
  const fields: unknown = JSON.parse(body);
  const fits =
    Object.hasOwn(commandFields, kind) &&
    isObject(fields) &&
    (fields.key === undefined || typeof fields.key === 'string') &&
    isNote(fields.notes) &&
    commandFields[kind as Command['kind']](fields);
  if (fits) return { ...fields, kind } as Command;
  throw new DetentError(
    'UNKNOWN_COMMAND',
    `the process that drives the run does not know this command (${kind}); it may run another version of Detent`,
  );
}

const commandFields: Readonly<Record<Command['kind'], (fields: Record<string, unknown>) => boolean>> = {
  confirm: ({ call, decision }) => Number.isInteger(call) && isObject(decision),
  reconcile: ({ call, decision }) => Number.isInteger(call) && isObject(decision),
  cancel: ({ reason, left, takeover }) =>
    (reason === undefined || typeof reason === 'string') &&
    (left === undefined || left === true) &&
    (takeover === undefined || (isObject(takeover) && typeof takeover.runId === 'string')),
  [childEnded]: ({ effectId, runId }) => Number.isInteger(effectId) && typeof runId === 'string',
  event: ({ event }) => isObject(event) && typeof event.type === 'string',
  message: ({ text, mayApprove = false, parts = [], keeps }) =>
    typeof text === 'string' &&
    (keeps === undefined || isObject(keeps)) &&
    typeof mayApprove === 'boolean' &&
    Array.isArray(parts) &&
    parts.every(isPart),
};

/** Whether a command must not be lost: no caller waits for it who could try again. */
function hasNoCaller({ kind, body }: CommandRow): boolean {
  return kind === childEnded || (kind === 'cancel' && body.includes('"left":true'));
}

function isNote(notes: unknown): boolean {
  return notes === undefined || (isObject(notes) && typeof notes.requestId === 'string' && 'effect' in notes);
}

function isPart(part: unknown): boolean {
  return isObject(part) && ['type', 'mimeType', 'data'].every((field) => typeof part[field] === 'string');
}

function opened<T>(outcome: string): T {
  const read = JSON.parse(outcome) as Outcome;
  if ('value' in read) return read.value as T;
  const { code, message, details = {} } = read.error;
  throw new DetentError(code, message, { details });
}

function isClosed(error: unknown): boolean {
  return DetentError.is(error) && error.code === 'CLOSED';
}

function plain(error: unknown): { code: string; message: string; details?: Record<string, unknown> } {
  if (!DetentError.is(error)) return { code: 'INTERNAL', message: messageOf(error) };
  const { code, message, details } = error;
  return { code, message, ...(details && { details }) };
}

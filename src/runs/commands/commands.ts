import { type NewPart, namedParts, writeUserMessage } from '../../call/messages.ts';
import { endApproval } from '../../call/policy.ts';
import type { EventBus, Hints } from '../../engine/bus.ts';
import type { Clock } from '../../engine/clock.ts';
import type { Addressee, Receipt, Repeatable } from '../../engine/commit.ts';
import type { EngineEvent } from '../../engine/machine.ts';
import type { ContentPart } from '../../protocol/content.ts';
import type { JsonValue } from '../../protocol/json.ts';
import { noDriver, type RunRow } from '../../store/rows.ts';
import { callName, callNumber } from '../../store/stored-call.ts';
import { isTakeover, makesCalls } from '../../store/stored-run.ts';
import { Rounds } from '../../text/limiter.ts';
import { checkClaim, checkConfirm, checkInstallation, checkReconcile } from '../decisions/check-decision.ts';
import {
  type ConfirmDecision,
  type DecisionResult,
  isCommandOf,
  type ReconcileDecision,
  unknownCommand,
} from '../decisions/decisions.ts';
import { type Claim, claimCall, releaseCall } from '../decisions/held-calls.ts';
import { linkedRuns, orphansOf } from '../decisions/links.ts';
import { type Command, type Letter, Mailbox, type MessageExtra, settlesWith } from '../decisions/mailbox.ts';
import { kindOf } from '../kinds/kind-of.ts';
import { findRow } from '../rows/find-run.ts';
import type { OfCommand } from '../rows/keyed-requests.ts';
import { openSubRuns } from '../rows/sub-run-rows.ts';
import { cutReason, type NewTakeover, replaceRuns } from '../takeover/begin-takeover.ts';
import { keepRequest } from '../takeover/keep-request.ts';
import { appliedDecision, type DecisionParts, decide } from './decide.ts';

export interface CommandsOptions extends DecisionParts {
  hints: Hints;
  bus: Pick<EventBus, 'notify'>;
  clock: Clock;
  /** The name in decisions of this program that name no person. */
  actor: string;
  report(error: unknown, runId: string): void;
}

/** How long a live process may take to continue a run after a decision that was delivered here. */
const handOverMs = 500;
const lookEveryMs = 10;

/** A command of one kind. */
type Of<K extends Command['kind']> = Extract<Command, { kind: K }>;

/** What people and programs ask of a run that exists, whichever process drives it. */
export class RunCommands {
  readonly #options: CommandsOptions;
  readonly #mailbox: Mailbox;
  readonly #deliveries = new Rounds();
  /** Whether the next delivery may cancel runs that no process drives. */
  #mayCancel = false;

  constructor(options: CommandsOptions) {
    this.#options = options;
    this.#mailbox = new Mailbox(options);
  }

  /**
   * After a command was delivered here to a run that this process does not drive: the process that had the run before
   * continues it, if it is alive.
   */
  async #passOn<T>(tenant: number, runId: string, outcome: Promise<T>): Promise<T> {
    const value = await outcome;
    // The command is committed already, so an error here must not reach its caller.
    await this.#waitForHandOver(tenant, runId).catch(() => {});
    return value;
  }

  async #waitForHandOver(tenant: number, runId: string): Promise<void> {
    const { engine, hints } = this.#options;
    const until = performance.now() + handOverMs;
    let isHinted = false;
    for (;;) {
      const { ended, driver, lastDriver } = await this.#row(tenant, runId);
      if (ended || driver !== null || lastDriver === null) return;
      if (!engine.isDrivenElsewhere({ driver: lastDriver }) || performance.now() >= until) return;
      if (!isHinted) hints.send(lastDriver);
      isHinted = true;
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  }

  /** Withdraws the commands that wait for other processes. Call it while the store is open. */
  async stop(): Promise<void> {
    await this.#mailbox.stop();
    await this.#deliveries.over();
  }

  /**
   * Delivers the commands that other processes, and other runs, sent to the runs of this process.
   *
   * @param mayCancel whether it may cancel runs that no process drives. Default: if this process drives any.
   */
  deliver(mayCancel = this.#options.engine.me !== null): Promise<void> {
    this.#mayCancel ||= mayCancel;
    return this.#deliveries.ask(() => {
      const isAllowed = this.#mayCancel;
      this.#mayCancel = false;
      return this.#mailbox.deliver((...command) => this.#perform(...command), isAllowed);
    });
  }

  /**
   * After a commit that left commands for runs: delivers them here, or asks the processes that have the runs to deliver
   * them at once.
   */
  posted(to: readonly Addressee[]): void {
    const { engine, hints, report } = this.#options;
    const owners = to.map(({ driver, lastDriver }) => (driver === noDriver ? lastDriver : driver));
    for (const owner of new Set(owners)) if (owner !== null && owner !== engine.me) hints.send(owner);
    void this.deliver(true).catch((error) => {
      if (!this.#mailbox.isClosed) report(error, '');
    });
  }

  /**
   * Adds a message to an active run. The next model call has it; calls that have not started are skipped.
   *
   * @param extra.mayApprove whether whoever wrote it may approve calls; if not, `approve: all` of the run no longer
   * holds
   */
  message(
    tenant: number,
    runId: string,
    text: string,
    parts?: readonly ContentPart[],
    { mayApprove = true, tainted, by, keeps, ...once }: MessageExtra = {},
  ): Promise<Pick<Receipt, 'kind'>> {
    const command: Command = {
      kind: 'message',
      text,
      // A program without types may pass anything.
      mayApprove: mayApprove === true,
      ...(parts && { parts }),
      ...(tainted && { tainted }),
      ...(by !== undefined && { by }),
      ...(keeps && { keeps }),
      ...repeatable(once, runId),
    };
    const outcome = this.#mailbox.send(tenant, runId, command, (letter) =>
      this.#message(tenant, runId, command, letter),
    );
    return this.#passOn(tenant, runId, outcome);
  }

  async #message(
    tenant: number,
    runId: string,
    { text, parts, mayApprove, tainted, by, keeps, key, notes }: Of<'message'>,
    letter: Letter,
  ): Promise<Pick<Receipt, 'kind'>> {
    const named: NewPart[] = namedParts(parts ?? []);
    const { kind, row } = await this.#options.engine.send(tenant, runId, {
      event: {
        type: 'run.message',
        ...(!mayApprove && { mayApprove: false }),
        ...(by !== undefined && { by }),
      },
      *before(row) {
        if (isTakeover(row)) yield* keepRequest(row, keeps, mayApprove === true);
      },
      *writes(scope) {
        yield* writeUserMessage(scope, text, named, tainted);
        if (!mayApprove) yield* endApproval(scope.row);
      },
      key,
      notes,
      ...settlesWith(letter, { kind: 'moved' }),
    });
    await this.#wake(row);
    return { kind: kind === 'duplicate' ? 'moved' : kind };
  }

  /** A message to a fork that no driver has had starts it: no process would find it otherwise. */
  async #wake({ ended, lastDriver, session }: RunRow): Promise<void> {
    if (!ended && lastDriver === null) await this.#options.engine.adopt(session);
  }

  /**
   * Sends a command to a run of another machine than that of agent runs. Its chart decides whether to accept it.
   *
   * @throws DetentError `NOT_FOUND`, `UNKNOWN_COMMAND`.
   */
  send(row: RunRow, event: EngineEvent, once: Repeatable = {}): Promise<Receipt['kind']> {
    const { tenant, id } = row;
    const command: Command = { kind: 'event', event, ...once };
    const outcome = this.#mailbox.send(tenant, id, command, (letter) => this.#send(row, command, letter));
    return this.#passOn(tenant, id, outcome);
  }

  async #send(row: RunRow, { event, key, notes }: Of<'event'>, letter: Letter): Promise<Receipt['kind']> {
    const { engine } = this.#options;
    // Messages to an agent's run have their own checks.
    if (makesCalls(row)) throw unknownCommand(row, event);
    if (!row.ended && !isCommandOf(engine.hostOfRun(row), event))
      throw unknownCommand(row, event, engine.hostOfRun(row).commands);
    const delivery = {
      event,
      key,
      notes,
      ...settlesWith(letter, 'moved' as const),
    };
    const receipt = await engine.send(row.tenant, row.id, delivery);
    await this.#wake(receipt.row);
    return receipt.kind;
  }

  /** Delivers a command that another process sent to a run of this one. */
  async #perform(tenant: number, runId: string, command: Command, letter: number): Promise<unknown> {
    switch (command.kind) {
      case 'cancel':
        return this.#cancel(tenant, runId, command, letter);
      case 'message':
        return this.#message(tenant, runId, command, letter);
      case 'confirm':
      case 'reconcile':
        return decide(this.#options, { tenant, runId, command, letter });
      case 'event':
        return this.#send(await this.#row(tenant, runId), command, letter);
      case 'childEnded': {
        const { effectId, runId: child } = command;
        const end = { effectId, runId: child };
        return this.#options.engine.childEnded(tenant, runId, end, settlesWith(letter, 'moved'));
      }
    }
  }

  /**
   * Ends a run, with its sub-runs. False when it had ended before.
   *
   * @param by who says so; left out when another run, or a job, does
   */
  cancel(tenant: number, runId: string, reason?: string, by?: string): Promise<boolean> {
    const said = { ...(reason !== undefined && { reason }), ...(by && { by }) };
    return this.#sendCancel(tenant, runId, { kind: 'cancel', ...said });
  }

  /**
   * Ends the run at the head of a session's lane, and all behind it, and begins a takeover in their place: in one commit. False
   * when the run had ended before.
   */
  cutShort(tenant: number, runId: string, takeover: NewTakeover, once: Repeatable = {}): Promise<boolean> {
    const by = takeover.by === null ? {} : { by: takeover.by };
    return this.#sendCancel(tenant, runId, { kind: 'cancel', reason: cutReason, takeover, ...by, ...once });
  }

  #sendCancel(tenant: number, runId: string, command: Of<'cancel'>): Promise<boolean> {
    return this.#mailbox.send(tenant, runId, command, (letter) =>
      this.#cancel(tenant, runId, command, letter),
    );
  }

  async #cancel(
    tenant: number,
    runId: string,
    { reason, by, takeover, notes }: Of<'cancel'>,
    letter: Letter,
  ): Promise<boolean> {
    const { engine, store } = this.#options;
    const said = { ...(reason !== undefined && { reason }), ...(by && { by }) };
    const event = { type: 'run.cancel', ...said, ...(takeover && { takeover: takeover.runId }) };
    const row = await this.#row(tenant, runId);
    const waits = kindOf(row).waitsInProcess ? await openSubRuns(store, row) : [];
    const linked = await linkedRuns(store, row);
    const delivery = { event, notes, ...settlesWith(letter, true) };
    const receipt = takeover
      ? await engine.sendAmong(tenant, runId, delivery, (scope, among) => replaceRuns(scope, among, takeover))
      : await engine.send(tenant, runId, delivery);
    const isCancelled = receipt.kind === 'moved';
    // A chart cancels the services that it leaves itself: their runs have a command already, which may wait for another
    // process.
    const left = isCancelled ? [...waits, ...(await orphansOf(store, linked))] : [];
    const cancelled = left.map((child) =>
      this.cancel(tenant, child.id, 'the run that started it was cancelled'),
    );
    // A process that delivers for others does not wait for a third process, which may be slow. A resume cancels the
    // remaining runs.
    if (letter === undefined) await Promise.all(cancelled);
    else void Promise.allSettled(cancelled);
    return isCancelled;
  }

  /**
   * Decides on a call that waits for a person. The first decision wins; a later one returns the first one's verdict.
   *
   * @throws DetentError `NOT_FOUND`, `INVALID_VERDICT`, `HASH_MISMATCH` when the arguments are not those that were seen,
   * `INVALID_ARGUMENTS` when new arguments do not fit the tool, `INVALID_ANSWER` when an answer does not fit the question,
   * `RESULT_TOO_LARGE`, `WRONG_VERDICT` when a question is approved, or a call answered, `INVALID_PATTERN` and `WRONG_TOOL` when a grant does
   * not mean the call.
   */
  async confirm(
    tenant: number,
    runId: string,
    call: string | number,
    decision: ConfirmDecision,
    once: OfCommand = {},
  ): Promise<DecisionResult> {
    checkConfirm(decision);
    const command = { kind: 'confirm' as const, ...this.#decisionOn(runId, call, decision, once) };
    const outcome = this.#mailbox.send(tenant, runId, command, (letter) =>
      decide(this.#options, { tenant, runId, command, letter }),
    );
    return this.#passOn(tenant, runId, outcome);
  }

  /** Settles a call whose process died while it ran. The first verdict wins. @throws DetentError `INVALID_VERDICT`. */
  async reconcile(
    tenant: number,
    runId: string,
    call: string | number,
    decision: ReconcileDecision,
    once: OfCommand = {},
  ): Promise<DecisionResult> {
    checkReconcile(decision);
    const command = { kind: 'reconcile' as const, ...this.#decisionOn(runId, call, decision, once) };
    const outcome = this.#mailbox.send(tenant, runId, command, (letter) =>
      decide(this.#options, { tenant, runId, command, letter }),
    );
    return this.#passOn(tenant, runId, outcome);
  }

  #decisionOn<D extends ConfirmDecision | ReconcileDecision>(
    runId: string,
    call: string | number,
    decision: D,
    once: OfCommand,
  ) {
    return {
      call: callNumber(call, runId),
      decision: { ...decision, by: decision.by ?? this.#options.actor },
      ...repeatable(once, appliedDecision(decision)),
    };
  }

  /**
   * An installation of an app takes a call that the caller of the run performs.
   *
   * @returns until when, in milliseconds since the epoch
   * @throws DetentError `INVALID_ARGUMENTS`, and as {@link claimCall}.
   */
  async claim(tenant: number, runId: string, call: string | number, claim: Claim): Promise<number> {
    const row = await this.#row(tenant, runId);
    const now = this.#options.clock.now();
    const heldUntil = await this.#options.store.commit(() =>
      claimCall(row, callNumber(call, runId), checkClaim(claim), now),
    );
    this.#tellClaimed(row, call, heldUntil);
    return heldUntil;
  }

  /** Gives such a call back. False if the installation does not hold it. @throws DetentError as {@link releaseCall}. */
  async release(
    tenant: number,
    runId: string,
    call: string | number,
    installation: string,
  ): Promise<boolean> {
    const row = await this.#row(tenant, runId);
    const holder = checkInstallation(installation);
    const isReleased = await this.#options.store.commit(() =>
      releaseCall(row, callNumber(call, runId), holder),
    );
    if (isReleased) this.#tellClaimed(row, call, null);
    return isReleased;
  }

  /** Other devices of the user hear of it at once, if they are connected here; the question has it for all. */
  #tellClaimed({ id: runId }: RunRow, call: string | number, heldUntil: number | null): void {
    this.#options.bus.notify({ runId, type: 'claimed', callId: callName(callNumber(call)), heldUntil });
  }

  #row(tenant: number, runId: string): Promise<RunRow> {
    return findRow(this.#options.store, tenant, runId);
  }
}

/** @param effect what its commit notes of a request */
function repeatable({ key, requestId }: OfCommand, effect: JsonValue): Repeatable {
  return { ...(key && { key }), ...(requestId && { notes: { requestId, effect } }) };
}

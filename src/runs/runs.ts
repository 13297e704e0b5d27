import type { RunLimits } from '../../machines/run.types.ts';
import { type NewPart, namedParts, writeUserMessage } from '../call/messages.ts';
import { type ProgramNeeds, type StartCall, startCall } from '../call/start-call.ts';
import type { EventBus } from '../engine/bus.ts';
import { Exists, LeftFor, noteEffect, refuseOtherUsers } from '../engine/commit.ts';
import { nameOfPerson } from '../protocol/access.ts';
import type { ContentPart } from '../protocol/content.ts';
import type { RunMode } from '../protocol/enums.ts';
import { DetentError } from '../protocol/error.ts';
import type { RunView } from '../protocol/views.ts';
import { read } from '../store/program.ts';
import type { RunRow } from '../store/rows.ts';
import { isCallOfProgram, type RunOptions } from '../store/run-options.ts';
import { isOpen } from '../store/stored-call.ts';
import { isTakeover, optionsOf } from '../store/stored-run.ts';
import { randomId } from '../text/ids.ts';
import { type CommandsOptions, RunCommands } from './commands/commands.ts';
import { Rests } from './commands/rests.ts';
import type { NamedAddress, ResumeScope } from './commands/resume.ts';
import { type ResumeParts, resumeRuns } from './commands/resume.ts';
import { allowedToPeople } from './decisions/decisions.ts';
import { oneSuffices, othersCalls } from './decisions/own-request.ts';
import { Watch } from './decisions/watch.ts';
import { findRow, refuseUnheard } from './rows/find-run.ts';
import type { OfRequest } from './rows/keyed-requests.ts';
import { ask } from './rows/statements.ts';
import { readQuestions } from './story/read-story.ts';
import { heldByStaff } from './takeover/held.ts';
import { KeptBefore, keptRow } from './takeover/keep-request.ts';
import { readRunView } from './views/read-run-view.ts';

export interface StartRun extends OfRequest {
  runId?: string;
  tenant: number;
  sessionId: string;
  /** The user of a new session. Default: the one of `options.principal`. */
  user?: string | null;
  prompt: string;
  /** With mode `steer`: the text for the active run instead of `prompt`, since no skill can begin within a run. */
  said?: string;
  /** Images and documents of the prompt. */
  parts?: readonly ContentPart[];
  mode: RunMode;
  /** With mode `steer`: see {@link RunCommands.message}. */
  mayApprove?: boolean;
  options: RunOptions;
  limits: RunLimits;
  /** Throws {@link HasFollower} unless this run is the newest one of the session. */
  behind?: Pick<RunRow, 'id' | 'ordinal'>;
  /** A run that Detent starts by itself: during a takeover it waits for its end, where a request of the user is kept. */
  isOwn?: boolean;
  /** The run only compacts its session. It has no prompt: what is given is ignored. */
  only?: 'compact';
}

interface RunsOptions extends ResumeParts, CommandsOptions {
  bus: EventBus;
  needs?: ProgramNeeds;
}

/** The operations on agent runs that people and programs use. */
export class Runs extends RunCommands {
  readonly #options: RunsOptions;
  readonly #watch: Watch;
  readonly #rests: Rests;

  constructor(options: RunsOptions) {
    super(options);
    this.#options = options;
    this.#rests = new Rests(options);
    this.#watch = new Watch({
      ...options,
      deliver: async () => {
        await this.deliver();
        for (const looker of options.lookers ?? []) looker.look();
      },
      changed: () => this.#rests.lookAgain(),
    });
  }

  /**
   * Creates a run, or sends the prompt to the active run. Returns the id of the run that got the prompt: while a person of the
   * staff has the session, that of the takeover, which keeps it.
   *
   * @throws DetentError `SESSION_OF_ANOTHER_USER`; `TAKES_NO_MESSAGES` in the session of a workflow at work; `DATABASE_MOVED` when the active run belongs to another place of the database.
   */
  async start(request: StartRun): Promise<string> {
    const { tenant, sessionId, prompt, said = prompt, parts, mode, only, behind, requestId } = request;
    const user = request.user === undefined ? (request.options.principal?.userId ?? null) : request.user;
    const asker = request.options.by?.[0] ?? nameOf(request);
    const repeated = (mode !== 'queue' && (await this.#repeated(request))) || (await this.#kept(request));
    if (repeated) return repeated;
    const head = mode === 'queue' ? undefined : await this.#laneHead(tenant, sessionId, user);
    const takeover = head && (await this.#options.store.query('findTakeover', { session: head.session }));
    if (takeover && !request.isOwn) return this.#keep(request, takeover);
    if (head && mode === 'steer') {
      const { mayApprove, options } = request;
      const extra = { mayApprove, tainted: options.tainted, by: asker, requestId };
      const receipt = await this.message(tenant, head.id, said, parts, extra);
      if (receipt.kind === 'moved') {
        await this.#options.engine.adopt(head.session);
        return head.id;
      }
      // The active run ended meanwhile, so the message starts a run of its own.
    }
    if (head && mode === 'interrupt' && !isTakeover(head))
      await this.cancel(tenant, head.id, 'interrupted by a new message', asker);
    const options = this.#optionsOf(request);
    const named: NewPart[] = namedParts(parts ?? []);
    let isBehind = false;
    const created = this.#options.engine.create({
      tenant,
      isRepeatable: request.options.requestDigest !== undefined,
      id: request.runId ?? randomId('run'),
      sessionKey: sessionId,
      user,
      input: { limits: request.limits, ...(only && { only }) },
      options,
      waitsFor(head) {
        isBehind = true;
        return waitsFor(head);
      },
      *writes(scope) {
        const kept = isBehind && !request.isOwn;
        const staffed = kept && (yield* ask('findTakeover', { session: scope.row.session }));
        if (staffed) throw only ? heldByStaff(sessionId, staffed.id) : new Staffed(staffed);
        if (behind && scope.row.ordinal !== behind.ordinal + 1) throw new HasFollower(behind.id);
        if (!only) yield* writeUserMessage(scope, prompt, named, request.options.tainted);
        yield* noteEffect(tenant, requestId, scope.row.id);
      },
    });
    try {
      return (await created).row.id;
    } catch (error) {
      if (error instanceof Exists) return sameRequest(error.row, request);
      if (error instanceof Staffed) return this.#keep(request, error.row);
      throw error;
    }
  }

  /** The options of a new run, as they are stored. */
  #optionsOf(request: StartRun): RunOptions {
    const { tenant } = request;
    const { metadata } = request.options;
    const redacted = <T>(value: T): T => JSON.parse(this.#options.redact(JSON.stringify(value)));
    const needs = this.#options.needs?.of(request.options.tools, tenant);
    return {
      ...request.options,
      ...(needs && { needs }),
      system: this.#options.redact(request.options.system),
      ...(metadata && { metadata: redacted(metadata) }),
      endpoint: request.options.endpoint && { ...request.options.endpoint },
    };
  }

  /**
   * Adds the prompt to a takeover, which keeps it for the staff, and for the agent that goes on afterwards. A takeover that has
   * ended meanwhile keeps nothing: then a run begins.
   */
  async #keep(request: StartRun, { tenant, id }: RunRow): Promise<string> {
    const { runId, prompt, parts, mayApprove, requestId, limits, only } = request;
    if (only) throw heldByStaff(request.sessionId, id);
    const { requestDigest: digest, ...options } = this.#optionsOf(request);
    const keeps = {
      options,
      limits,
      ...(digest !== undefined && runId !== undefined && { named: { runId, digest } }),
    };
    const { tainted, by } = request.options;
    const asker = by?.[0] ?? nameOf(request);
    try {
      const extra = { keeps, tainted, mayApprove, by: asker, requestId };
      const { kind } = await this.message(tenant, id, prompt, parts, extra);
      return kind === 'moved' ? id : await this.start(request);
    } catch (error) {
      if (!(error instanceof KeptBefore)) throw error;
      return sameKept(error, request);
    }
  }

  /** The takeover that has kept an earlier request with the same key. */
  async #kept(request: StartRun): Promise<string | null> {
    const { tenant, runId, options } = request;
    if (options.requestDigest === undefined || runId === undefined) return null;
    const found = await this.#options.store.query('findRequestKey', { tenant, name: keptRow(runId) });
    return found
      ? sameKept({ runId: JSON.parse(found.effect ?? '""'), digest: found.digest }, request)
      : null;
  }

  /**
   * Begins the run of one call, which asks no model. See {@link startCall}. A second start of the same run does nothing.
   *
   * @throws DetentError `IDEMPOTENCY_CONFLICT`, and as {@link start} does for its session.
   */
  async startCall(request: StartCall): Promise<void> {
    try {
      await startCall({ ...this.#options, waitsFor }, request);
    } catch (error) {
      if (!(error instanceof Exists)) throw error;
      sameRequest(error.row, request);
    }
  }

  /** The run that an earlier request with the same key has made. */
  async #repeated(request: StartRun): Promise<string | null> {
    const { tenant, runId, options } = request;
    if (options.requestDigest === undefined || runId === undefined) return null;
    const row = await this.#options.store.query('loadRun', { tenant, id: runId });
    return row ? sameRequest(row, request) : null;
  }

  /** The run that a message to the session meets. Its user is checked first: no message and no cancel is for others. */
  async #laneHead(tenant: number, key: string, user: string | null): Promise<RunRow | undefined> {
    const { store, engine } = this.#options;
    const session = await store.query('findSession', { tenant, key });
    if (!session) return undefined;
    refuseOtherUsers(session, key, user);
    const head = await store.query('laneHead', { session: session.pk });
    if (!head) return undefined;
    refuseUnheard(head);
    const refused = engine.whyRefused(head);
    if (refused && (await engine.driverElsewhere(head)) === null) throw refused;
    return head;
  }

  /** @throws DetentError `NOT_FOUND`. */
  row(tenant: number, runId: string): Promise<RunRow> {
    return findRow(this.#options.store, tenant, runId);
  }

  async view(tenant: number, runId: string): Promise<RunView> {
    return readRunView(this.#options.store, await this.row(tenant, runId), this.#options.engine.isDriven);
  }

  /** The commands that the run accepts now, with call ids as people write them. `by`: who would give them. */
  async allowed(tenant: number, runId: string, by?: string) {
    const { engine, store, fourEyes = oneSuffices } = this.#options;
    const row = await this.row(tenant, runId);
    const commands = engine.allowed(row);
    if (commands.length === 0) return [];
    const questions = await readQuestions(store, row);
    const allowed = allowedToPeople(commands, questions, row);
    const strict = questions.filter(
      (question) => isOpen(question) && (question.decides || fourEyes(question.name)),
    );
    if (by === undefined || strict.length === 0) return allowed;
    const others = await read(store, othersCalls(row, strict, by, fourEyes));
    const isApproval = (verdict?: string) => verdict === 'approve' || verdict === 'modify';
    return allowed.filter(({ callId = '', verdict }) => !(isApproval(verdict) && others.has(callId)));
  }

  /** See {@link resumeRuns}. */
  resume(tenant: number, scope: ResumeScope | undefined, at: NamedAddress | null = null): Promise<string[]> {
    return resumeRuns(this, this.#options, { tenant, scope, at });
  }

  /**
   * Resolves when the run has ended, or when it cannot continue here without a person or another driver: it is waiting,
   * interrupted, or queued behind such a run. A workflow rests, too, that waits for events and timers alone; not one with a
   * run of a service at work. When the engine stops, it resolves for every run.
   */
  settled(tenant: number, runId: string): Promise<RunView> {
    return this.#rests.settled(tenant, runId);
  }

  /** Resolves when each run that this engine drives now, of any tenant, has ended or waits for a person. */
  rested(): Promise<void> {
    return this.#rests.rested();
  }

  /** Resolves every pending `settled`, and takes commands back. Call it after the engine has stopped. */
  override async stop(): Promise<void> {
    await super.stop();
    await this.#watch.stop();
    await this.#rests.stop();
  }
}

/** Whether a run waits for this one, which is ahead of it, only if some process moves that on. @throws DetentError as {@link refuseUnheard}. */
function waitsFor(head: RunRow): boolean {
  if (isTakeover(head)) return false;
  if (!isCallOfProgram(optionsOf(head))) refuseUnheard(head);
  return true;
}

/** A person of the staff has the session. */
class Staffed extends LeftFor {}

/** The user for whom a request is, as decisions name people. */
function nameOf({ user, options }: Pick<StartRun, 'user' | 'options'>): string | undefined {
  const of = user === undefined ? (options.principal?.userId ?? null) : user;
  return of === null ? undefined : nameOfPerson(of);
}

/** Another run follows already in the session. */
export class HasFollower extends Error {}

/** @throws DetentError `IDEMPOTENCY_CONFLICT` when another request has made the run. */
function sameRequest(row: RunRow, { options }: Pick<StartRun, 'options'> | StartCall): string {
  if (optionsOf(row).requestDigest === options.requestDigest) return row.id;
  throw otherRequest(row.id);
}

/** The same of a request that a takeover has kept. */
function sameKept(
  { runId, digest }: Pick<KeptBefore, 'runId' | 'digest'>,
  { options }: Pick<StartRun, 'options'>,
): string {
  if (digest === options.requestDigest) return runId;
  throw otherRequest(runId);
}

function otherRequest(runId: string): DetentError {
  return new DetentError(
    'IDEMPOTENCY_CONFLICT',
    `run ${runId} was made with the same idempotencyKey by another request; use a new key for another request`,
    { details: { runId } },
  );
}

export {
  type ConfirmDecision,
  type DecisionResult,
  type ReconcileDecision,
  sayingOf,
} from './decisions/decisions.ts';
export { cancelChildren } from './decisions/links.ts';

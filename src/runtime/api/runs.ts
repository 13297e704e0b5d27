import { defaultTenant, type Reach, someProgram } from '../../protocol/access.ts';
import type { InspectionMessage } from '../../protocol/frames.ts';
import { refuseUnknownFields } from '../../protocol/json.ts';
import type { MethodOutput } from '../../protocol/methods.ts';
import type { Notice } from '../../protocol/ports.ts';
import type { RunDelta, RunEvent } from '../../protocol/run-events.ts';
import type { RunView } from '../../protocol/views.ts';
import type { ConfirmDecision, DecisionResult, ReconcileDecision, Runs } from '../../runs/runs.ts';
import type { ContextUse, FeedPage, InspectionStart, RunFilter, RunSummary } from '../../runs/views.ts';
import { isTakeover } from '../../store/stored-run.ts';
import { once } from '../../text/limiter.ts';
import type { Core, Listing } from '../config/core.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import type { RunRequest } from '../config/request.ts';
import { historyApi, type RunHistory } from './history.ts';
import type { RunHandle, RunHandles } from './run-handle.ts';
import { inspectionOf, subscribeTo } from './run-streams.ts';

/** A notice to the host: see docs/hooks.md. Times are milliseconds since the epoch. */
export interface NoticeView {
  notice: Notice;
  /** `pending`: Detent tries again at `dueAt`. `dead`: Detent gave up. `over`: the run no longer waits. */
  status: 'pending' | 'delivered' | 'dead' | 'over';
  attempts: number;
  dueAt: number;
  /** Of the last attempt that failed. */
  error: { code: string; message: string } | null;
}

/** Operations on existing runs. `tenantId` defaults to 1; a run of another tenant is `NOT_FOUND`. */
export interface DetentRuns extends RunHistory {
  /**
   * Newest first. Throws `INVALID_ARGUMENTS`.
   *
   * @param filter.status only runs in one of these
   * @param filter.userId only runs in sessions of this user. Default, and for null: those of the whole tenant
   * @param filter.since only runs that moved then or later: milliseconds since the epoch
   * @param filter.limit default: 100
   * @param filter.model only runs of this model, `provider/model`
   * @param filter.words only runs with these words in their first message, their id or the key of their session; the newest 2,000 are looked through
   * @param filter.course whether each run has its `course`: the states that it has been in, each with how long
   */
  list(filter?: Partial<RunFilter> & { tenantId?: number }): Promise<RunSummary[]>;
  /**
   * The notices to the host, delivered or not: newest first, by default the newest 100, and those of all tenants. Detent keeps them
   * for 30 days.
   */
  notices(filter?: { tenantId?: number; limit?: number }): Promise<NoticeView[]>;
  /**
   * The transitions of all runs of a tenant, or of a user, after a place: each once, in the order of the commits, whichever process
   * made them. A page has a limited number of transitions; continue at its `cursor`, which stays valid after a restart.
   *
   * @param place.after the `cursor` of a page or an event; 0 for the beginning. Default: the end, so that the page is empty
   * @param place.userId only runs in sessions of this user. Default, and for null: those of the whole tenant
   */
  feed(place?: {
    after?: number;
    userId?: string | null;
    reach?: Reach;
    tenantId?: number;
  }): Promise<FeedPage>;
  /**
   * How many runs are in each state: the unfinished ones (`idle` are those in the queue, `workflow` those of workflows), and
   * those that ended at `since` or later (default: all).
   */
  counts(filter?: {
    userId?: string | null;
    reach?: Reach | undefined;
    since?: number;
    tenantId?: number;
  }): Promise<Record<string, number>>;
  /**
   * The id of the run that a person means: a whole id, a beginning that no other run has, or `last` for the newest run
   * that is not a sub-run. Throws `NOT_FOUND`, and `AMBIGUOUS_RUN`, which lists the candidates. All other methods take
   * whole ids.
   */
  find(word: string, tenantId?: number): Promise<string>;
  show(runId: string, tenantId?: number): Promise<RunView>;
  /**
   * The owner of a run: the user of its session, or for a sub-run that of the run at its root; null for no user in
   * particular. One query. Throws `NOT_FOUND`, also for a run beyond the reach.
   */
  ownerOf(
    runId: string,
    tenantId?: number,
    reach?: Reach,
  ): Promise<{ userId: string | null; sessionId: string }>;
  /**
   * How full the window of the run's model was at its newest answer; null before the first one, and when it is not known. Throws
   * `NOT_FOUND`.
   */
  contextUse(runId: string, tenantId?: number): Promise<ContextUse | null>;
  /**
   * The commands that the run accepts now. A client can offer them as buttons.
   *
   * @param by who would give the commands, named as in decisions: leaves out the approvals that `policy.fourEyes` refuses to this person
   */
  allowed(runId: string, tenantId?: number, by?: string): Promise<MethodOutput<'run.at'>['legal']>;
  /** @param options.idempotencyKey a second command to the run with this key does nothing, and gets the result of the first */
  confirm(
    runId: string,
    call: string,
    decision: ConfirmDecision,
    tenantId?: number,
    options?: Pick<RunRequest, 'idempotencyKey' | 'requestId'>,
  ): Promise<DecisionResult>;
  /**
   * An installation of an app claims a call that the caller of the run performs. Until the installation releases the call, or the time is
   * over, no other installation can claim the call or give its result. Throws `NOT_FOUND`, `WRONG_VERDICT` for a call of another kind, `NOT_WAITING`, `CALL_CLAIMED`.
   *
   * @param claim.holdMs milliseconds; default 300,000
   * @returns until when the claim holds, in milliseconds since the epoch
   */
  claim(
    runId: string,
    call: string,
    claim: { installation: string; holdMs?: number },
    tenantId?: number,
  ): Promise<number>;
  /** Gives a claimed call back. False if this installation did not hold it. */
  release(runId: string, call: string, installation: string, tenantId?: number): Promise<boolean>;
  /** @param options as of `confirm` */
  reconcile(
    runId: string,
    call: string,
    decision: ReconcileDecision,
    tenantId?: number,
    options?: Pick<RunRequest, 'idempotencyKey' | 'requestId'>,
  ): Promise<DecisionResult>;
  /** @param options.by who cancels, for the log. Default: this program */
  cancel(runId: string, reason?: string, tenantId?: number, options?: { by?: string }): Promise<boolean>;
  /**
   * @param extra.idempotencyKey as of `confirm`
   * @param extra.mayApprove see {@link RunRequest.mayApprove}
   */
  steer(
    runId: string,
    message: string,
    tenantId?: number,
    extra?: Pick<RunRequest, 'attachments' | 'idempotencyKey' | 'requestId' | 'mayApprove' | 'by'>,
  ): Promise<void>;
  /**
   * The events of a run for clients, after the transition `afterSeq` (default: all): from the log, then as they happen, with
   * the pieces of answers as they stream. All events of a transition share its `seq`: a client that reconnects asks for those
   * after the last `seq` of which it received the event with `last: true`. Ends with the run, and when this Detent closes.
   */
  subscribe(
    runId: string,
    options?: { afterSeq?: number; tenantId?: number },
  ): AsyncIterable<RunEvent | RunDelta>;
  /**
   * Tells Detent which runs a connection watches, or watched until they ended: Detent sends the host no notice (`notify`) of the end of
   * these runs. A gateway calls this by itself.
   *
   * @returns a function that ends it
   */
  watchedBy(watches: (runId: string, tenantId: number) => boolean): () => void;
  /**
   * The run as an XState actor, in the messages of `@statelyai/inspect` 0.7: the actor with its definition, then an event and a
   * snapshot for each transition, from the log and then as they happen. Computed from the log; nothing is executed. Sub-runs are
   * actors with the `parentId` of their run. Ends with the run, and when this Detent closes.
   *
   * @param options.from `now`: the actor as it stands, and the transitions to come. Default: `start`, from the first one
   * @param options.withSubRuns default: true
   * @throws DetentError `NOT_FOUND`, `NO_LOG`, `MIGRATION_NEEDED`, `REPLAY_DIVERGED`.
   * @example
   * ```ts
   * for await (const message of detent.runs.inspect(runId)) socket.send(JSON.stringify(message));
   * ```
   */
  inspect(
    runId: string,
    options?: { from?: InspectionStart; withSubRuns?: boolean; tenantId?: number },
  ): AsyncIterable<InspectionMessage>;
  /** A handle on an existing run. */
  attach(runId: string, tenantId?: number): RunHandle;
  /**
   * Resumes the runs that an earlier process left unfinished: those of one session, by its key or by one of its runs,
   * or all. A server calls it once at its start. Returns the ids of the unfinished runs that this Detent now drives. On PostgreSQL
   * all are handed out to the processes that drive: those are returned that came here at once, up to `slots`, more come later, and
   * runs that wait for a person are left alone.
   *
   * A run that was made with an address (`baseUrl`, `apiKeyEnv`, `api`) needs one that the configuration or `address`
   * names now; the address in its row is not used. Without one, a scope throws `ADDRESS_NOT_NAMED`; among all runs,
   * Detent leaves that run as it is and reports the error to `onError`.
   *
   * @param address the address of the run's model; with a session, that of its runs with the same provider as `model`
   */
  resume(
    scope?: { runId: string } | { sessionId: string },
    tenantId?: number,
    address?: Pick<RunRequest, 'model' | 'baseUrl' | 'apiKeyEnv' | 'api'>,
  ): Promise<string[]>;
  /**
   * Resolves when each run that this Detent drives now, of any tenant, has ended or waits for a person. A server that
   * shuts down waits for it as long as it can, so that `close` interrupts no call.
   */
  rested(): Promise<void>;
}

/** @throws DetentError `TAKEN_OVER`: a takeover is given back, not cancelled. */
async function notStaffs(runs: Runs, tenant: number, runId: string): Promise<Runs> {
  const row = await runs.row(tenant, runId);
  if (!isTakeover(row) || row.ended) return runs;
  const { heldByStaff } = await import('../../runs/sessions.ts');
  throw heldByStaff(row.sessionKey, runId);
}

// What each request of a gateway asks. One name at a time, so that a start reads no more than it needs.
const runLister = once(async () => (await import('../../runs/views.ts')).listRuns);
const viewReader = once(async () => (await import('../../runs/views.ts')).readRunView);
const feedReader = once(async () => (await import('../../runs/views.ts')).readFeed);
const rowFinder = once(async () => (await import('../../runs/rows.ts')).findRow);
const ownerFinder = once(async () => (await import('../../runs/rows.ts')).ownerOfRun);

const whose = ['userId', 'reach', 'tenantId'];
const countFields = [...whose, 'since'];
const feedFields = [...whose, 'after'];

/**
 * @param core opens the parts on first use.
 * @param listing opens the database alone.
 * @param finish finishes claims and deletions of users that were interrupted
 *
 * @internal
 */
export function runsApi(
  core: () => Promise<Core>,
  listing: () => Promise<Listing>,
  { limits, policy, models = {}, env = process.env, actor = someProgram }: DetentOptions,
  { handle, steer, stoppable }: RunHandles,
  finish: () => Promise<void>,
): Omit<DetentRuns, 'watchedBy'> {
  const runs = async () => (await core()).runs;
  return {
    async list({ tenantId = defaultTenant, limit = 100, ...filter } = {}) {
      const listRuns = await runLister();
      const { store, isDriven, now } = await listing();
      return listRuns(store, isDriven, tenantId, { ...filter, limit }, now());
    },
    async counts(asked = {}) {
      refuseUnknownFields(asked, countFields, 'a filter of counts', 'INVALID_ARGUMENTS');
      const { tenantId = defaultTenant, ...filter } = asked;
      const { countRuns } = await import('../../runs/views.ts');
      const { store, isLive } = await listing();
      return countRuns(store, isLive, tenantId, filter);
    },
    async feed(place = {}) {
      refuseUnknownFields(place, feedFields, 'a place of the feed', 'INVALID_ARGUMENTS');
      const { after, reach, userId = null, tenantId = defaultTenant } = place;
      const readFeed = await feedReader();
      return readFeed((await listing()).store, { tenant: tenantId, user: userId, after, reach });
    },
    async find(word, tenantId = defaultTenant) {
      const { findRunId } = await import('../../runs/rows.ts');
      return findRunId((await listing()).store, tenantId, word);
    },
    async show(runId, tenantId = defaultTenant) {
      const readRunView = await viewReader();
      const findRow = await rowFinder();
      const { store, isDriven } = await listing();
      return readRunView(store, await findRow(store, tenantId, runId), isDriven);
    },
    async notices(filter = {}) {
      refuseUnknownFields(filter, ['tenantId', 'limit'], 'a filter of notices', 'INVALID_ARGUMENTS');
      const { tenantId: tenant = null, limit = 100 } = filter;
      const { store } = await listing();
      return (await store.query('listNotices', { tenant, limit })).map(
        ({ body, status, attempt: attempts, dueAt, error }) => ({
          notice: JSON.parse(body) as Notice,
          status,
          attempts,
          dueAt,
          error: error === null ? null : (JSON.parse(error) as NoticeView['error']),
        }),
      );
    },
    async ownerOf(runId, tenantId = defaultTenant, reach) {
      const ownerOfRun = await ownerFinder();
      return ownerOfRun((await listing()).store, tenantId, runId, reach);
    },
    async contextUse(runId, tenantId = defaultTenant) {
      const { contextUse } = await import('../../runs/views.ts');
      const { findModel } = await import('../../models/find-model.ts');
      const findRow = await rowFinder();
      const { store } = await listing();
      return contextUse(store, await findRow(store, tenantId, runId), (name, endpoint) =>
        findModel(name, endpoint, models, env),
      );
    },
    allowed: async (runId, tenantId = defaultTenant, by) => (await runs()).allowed(tenantId, runId, by),
    confirm: async (
      runId,
      call,
      decision,
      tenantId = defaultTenant,
      { idempotencyKey: key, requestId } = {},
    ) => (await runs()).confirm(tenantId, runId, call, decision, { key, requestId }),
    claim: async (runId, call, { installation, holdMs = 300_000 }, tenantId = defaultTenant) =>
      (await runs()).claim(tenantId, runId, call, { installation, holdMs }),
    release: async (runId, call, installation, tenantId = defaultTenant) =>
      (await runs()).release(tenantId, runId, call, installation),
    reconcile: async (
      runId,
      call,
      decision,
      tenantId = defaultTenant,
      { idempotencyKey: key, requestId } = {},
    ) => (await runs()).reconcile(tenantId, runId, call, decision, { key, requestId }),
    cancel: async (runId, reason, tenantId = defaultTenant, { by = actor } = {}) =>
      (await notStaffs(await runs(), tenantId, runId)).cancel(tenantId, runId, reason, by),
    steer: (runId, message, tenantId = defaultTenant, extra) => steer(tenantId, runId, message, extra),
    subscribe: (runId, { afterSeq = 0, tenantId = defaultTenant } = {}) =>
      subscribeTo(core, { stoppable }, { tenant: tenantId, runId, afterSeq }),
    inspect: (runId, { from = 'start', withSubRuns = true, tenantId = defaultTenant } = {}) =>
      inspectionOf(core, { stoppable }, { tenant: tenantId, runId, from, withSubRuns }),
    attach: (runId, tenantId = defaultTenant) =>
      handle(
        tenantId,
        runId,
        runs().then(async (known) => (await known.row(tenantId, runId)).id),
      ),
    async resume(scope, tenantId = defaultTenant, address) {
      if (scope === undefined) await finish();
      return (await runs()).resume(tenantId, scope, address && (await namedAddress(address)));
    },
    rested: async () => (await runs()).rested(),
    ...historyApi(core, { limits, policy, actor }),
  };
}

async function namedAddress(address: Pick<RunRequest, 'model' | 'baseUrl' | 'apiKeyEnv' | 'api'>) {
  const { endpointOf } = await import('../requests/chosen-models.ts');
  const { model } = address;
  const endpoint = endpointOf(address);
  return endpoint && { endpoint, ...(model !== undefined && { model }) };
}

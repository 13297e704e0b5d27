import { isOnlyCompaction } from '../../agent/hooks.ts';
import { type GrantView, grantView } from '../../call/policy.ts';
import type { Clock } from '../../engine/clock.ts';
import { noteEffect } from '../../engine/commit.ts';
import type { MachineHosts } from '../../engine/machine.ts';
import { checkSessionKey, type Reach } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { refuseUnknownFields, shown } from '../../protocol/json.ts';
import type { MethodOutput } from '../../protocol/methods.ts';
import type { SessionSearch, SessionSearcher, SessionSeeker } from '../../protocol/ports.ts';
import type { RunStatus } from '../../protocol/views.ts';
import type { RunRow } from '../../store/rows.ts';
import type { RunOptions } from '../../store/run-options.ts';
import type { LogEvent } from '../../store/stored-call.ts';
import type { StoredMessage } from '../../store/stored-message.ts';
import { agentMachine, optionsOf } from '../../store/stored-run.ts';
import { randomId } from '../../text/ids.ts';
import { type Forked, forkAt } from '../history/fork.ts';
import { costs } from '../lists/list-runs.ts';
import { isWithin, noSession } from '../rows/owners.ts';
import { type IsDriven, runStatus, statusAmongRuns } from '../rows/run-status.ts';
import { ask, type Store } from '../rows/statements.ts';
import { readSaid, storyOf } from '../story/read-story.ts';
import { refuseTakenOver } from '../takeover/held.ts';
import { clear, findIn, remove, type SessionRef, taskSessions, tellParents } from './end-session.ts';
import { exportLines } from './export.ts';
import { type ImportedSession, importSession, sessionExists } from './import.ts';
import { oldestOf, sessionSummary } from './list-sessions.ts';
import { type NewRating, rate } from './rate.ts';
import type { LogSource } from './read-lines.ts';
import { type SessionView, sessionView } from './session-view.ts';

interface SessionsOptions {
  store: Store;
  /** Cancels a run, whichever process drives it. */
  runs: { cancel(tenant: number, runId: string, reason: string): Promise<boolean> };
  hosts: MachineHosts;
  clock: Clock;
  /** Whether a live driver drives a run. */
  isDriven: IsDriven;
  redact(text: string): string;
  /** Searches conversations, and forgets deleted ones. */
  conversations: ErasableSearch;
  /** The program that an export names. */
  sdkVersion: string;
}

/** The search index of conversations. */
interface ErasableSearch extends SessionSearcher {
  /** Removes deleted runs from the index; false if that is not possible now. */
  erase(tenant: number, runs: readonly string[]): Promise<boolean>;
}

export interface DeletedSession extends MethodOutput<'session.delete'> {}

/** What is given is changed. */
export interface SessionChange {
  /** At most 200 characters; null: it is called by its first words again. */
  title?: string | null | undefined;
  pinned?: boolean | undefined;
}

export interface NamedSession extends MethodOutput<'session.update'> {}

export interface ForkPlace {
  runId: string;
  /** The last transition that the fork keeps. */
  seq: number;
  /** Key of the new session; without it a new id. */
  sessionId?: string;
}

const limit = Number.MAX_SAFE_INTEGER;
const maxSessionsOfGrants = 1_000;
const maxTitle = 200;

/** Why a program cannot move a run at all, and so cannot cancel it. */
const notMovedHere: ReadonlySet<string> = new Set(['MIGRATION_NEEDED', 'CHART_CHANGED']);

/** The operations on whole sessions. Every method takes the tenant first; sessions of other tenants count as not found. */
export class Sessions {
  readonly #options: SessionsOptions;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** @throws DetentError `NOT_FOUND`. */
  async show(tenant: number, key: string): Promise<SessionView> {
    const { store, isDriven } = this.#options;
    const { pk, headRun, headSeq } = await this.#find(tenant, key);
    const runs = await this.#runs(pk);
    const messages: StoredMessage[] = [];
    const unsaid: LogEvent[] = [];
    for (const run of runs) {
      const said = await readSaid(store, run);
      messages.push(...said.messages);
      unsaid.push(...said.unsaid);
    }
    const costOf = await costs(store, tenant, 'session', oldestOf(runs));
    const statuses = new Map<number, RunStatus>();
    for (const run of runs) statuses.set(run.pk, (await statusAmongRuns(store, run, isDriven)).status);
    return sessionView({
      summary: await sessionSummary(store, isDriven, { pk, key, runs: runs.length }, costOf),
      runs,
      messages,
      usage: storyOf(messages, [], unsaid).usage,
      ratings: await store.query('listRatings', { session: pk }),
      head: { run: headRun, seq: headSeq },
      statusOf: (run) => statuses.get(run.pk) ?? runStatus(run, isDriven),
    });
  }

  /** What the newest run of a session that asks models for answers was made with; null when it has none. */
  async lastOptions(tenant: number, key: string): Promise<RunOptions | null> {
    const { store } = this.#options;
    const session = await store.query('findSession', { tenant, key });
    if (!session) return null;
    const rows = await store.query('listRunsOf', { session: session.pk, limit: 20 });
    const answering = rows.filter((row) => row.machine === agentMachine && !isOnlyCompaction({ run: row }));
    return answering.map(optionsOf).find(({ call }) => !call) ?? null;
  }

  /** First ones first. */
  async #runs(session: number): Promise<RunRow[]> {
    return (await this.#options.store.query('listRunsOf', { session, limit })).reverse();
  }

  /** @throws DetentError `NOT_FOUND`. */
  async #find(tenant: number, key: string): Promise<SessionRef> {
    const session = await this.#options.store.query('findSession', { tenant, key });
    if (!session) throw noSession(key);
    return session;
  }

  /**
   * Changes what a person calls a session, and whether it is pinned: what is left out stays.
   *
   * @param requestId see {@link OfRequest}
   * @throws DetentError `NOT_FOUND`, `INVALID_ARGUMENTS`.
   */
  async update(
    tenant: number,
    key: string,
    { title, pinned, ...others }: SessionChange,
    requestId?: string,
  ): Promise<NamedSession> {
    refuseUnknownFields(
      others,
      ['title', 'pinned', 'tenantId'],
      'a change of a session',
      'INVALID_ARGUMENTS',
    );
    if (title !== undefined && title !== null) checkTitle(title);
    const { store, redact } = this.#options;
    return store.commit(function* () {
      const before = yield* findIn(tenant, key);
      const done = {
        title: title === undefined ? before.title : title === null ? null : redact(title),
        pinned: pinned ?? before.pinned === 1,
      } satisfies NamedSession;
      yield* ask('nameSession', { session: before.pk, title: done.title, pinned: done.pinned ? 1 : 0 });
      yield* noteEffect(tenant, requestId, done);
      return done;
    });
  }

  /**
   * Starts the conversation again: earlier messages stay in the log, but no later prompt has them.
   *
   * @param force cancels unfinished runs instead of refusing.
   * @param requestId see {@link OfRequest}
   * @returns how many messages no longer enter a prompt.
   * @throws DetentError `NOT_FOUND`, `SESSION_BUSY`.
   */
  async clear(tenant: number, key: string, force: boolean, requestId?: string): Promise<{ cleared: number }> {
    const { pk } = await this.#find(tenant, key);
    await this.#options.store.commit(() => refuseTakenOver(pk, key));
    if (force) await this.#cancelAll(tenant, pk);
    const at = this.#options.clock.now();
    return this.#options.store.commit(function* () {
      const done = { cleared: yield* clear(tenant, key, at) };
      yield* noteEffect(tenant, requestId, done);
      return done;
    });
  }

  /**
   * Deletes a session with all its rows, and overwrites their remains in the database's files.
   *
   * @param force cancels unfinished runs instead of refusing.
   * @param requestId see {@link OfRequest}
   * @throws DetentError `NOT_FOUND`, `SESSION_BUSY`.
   */
  async delete(tenant: number, key: string, force: boolean, requestId?: string): Promise<DeletedSession> {
    const { store } = this.#options;
    const program = await this.#removing(tenant, key, force, requestId);
    const { value, complete } = store.erase
      ? await store.erase(program)
      : { value: await store.commit(program), complete: true };
    const { runIds, messages } = value;
    const isForgotten = await this.#options.conversations.erase(tenant, runIds);
    return { runs: runIds.length, messages, erased: complete && isForgotten };
  }

  /** Cancels the runs of a session and deletes its rows, of which remains may stay in the files. @throws DetentError as {@link delete}. */
  async remove(tenant: number, key: string): Promise<{ runs: number; messages: number }> {
    const { runIds, messages } = await this.#options.store.commit(await this.#removing(tenant, key, true));
    return { runs: runIds.length, messages };
  }

  async #removing(tenant: number, key: string, force: boolean, requestId?: string) {
    const { pk } = await this.#find(tenant, key);
    const lost = force ? await this.#cancelTree(tenant, pk) : new Set<string>();
    const at = this.#options.clock.now();
    return function* () {
      yield* tellParents(pk, at);
      const gone = yield* remove(tenant, key, { lost, isForced: force });
      const done = { runs: gone.runIds.length, messages: gone.messages, erased: false };
      yield* noteEffect(tenant, requestId, done satisfies DeletedSession);
      return gone;
    };
  }

  /** Cancels unfinished runs; returns those that cannot be cancelled because this program lacks their machine. */
  async #cancelAll(tenant: number, session: number): Promise<Set<string>> {
    const lost = new Set<string>();
    const active = await this.#options.store.query('listActiveRunsOf', { session });
    // Last run first, so that no queued run starts.
    for (const { id } of active.reverse())
      try {
        await this.#options.runs.cancel(tenant, id, 'its session was cleared or deleted');
      } catch (error) {
        if (!DetentError.is(error) || !notMovedHere.has(error.code)) throw error;
        lost.add(id);
      }
    return lost;
  }

  /**
   * As {@link #cancelAll}, also for the sessions of the runs below: the end of a workflow reaches those only later, by letters.
   */
  async #cancelTree(tenant: number, session: number): Promise<Set<string>> {
    const lost = await this.#cancelAll(tenant, session);
    const { store } = this.#options;
    for (const key of await store.commit(() => taskSessions(session))) {
      const below = await store.query('findSession', { tenant, key });
      if (below) for (const id of await this.#cancelTree(tenant, below.pk)) lost.add(id);
    }
    return lost;
  }

  /**
   * The session as lines of JSON, without their ends, in the vocabulary of the Kotlin SDK.
   *
   * @throws DetentError `NOT_FOUND`.
   */
  async *export(tenant: number, key: string): AsyncGenerator<string> {
    const { store, sdkVersion } = this.#options;
    const { pk } = await this.#find(tenant, key);
    const { createdAt = 0 } = (await store.query('describeSession', { session: pk })) ?? {};
    const session = { key, createdAt, runs: await this.#runs(pk), sdkVersion: sdkVersion };
    yield* exportLines(store, session);
  }

  /**
   * Creates a new session in the state of this one after a transition of one of its runs; see {@link forkAt}.
   *
   * @throws DetentError `NOT_FOUND`, also for a run of another session; `NO_LOG` for an imported run; else as `forkAt`.
   */
  async fork(
    tenant: number,
    key: string,
    { runId, seq, sessionId, ...others }: ForkPlace,
    configured?: RunOptions['approve'],
  ): Promise<Forked> {
    refuseUnknownFields(others, ['runId', 'seq', 'sessionId'], 'a place of a fork', 'INVALID_ARGUMENTS');
    const { store, hosts, clock, redact } = this.#options;
    const { pk } = await this.#find(tenant, key);
    const run = await store.query('loadRun', { tenant, id: runId });
    if (run?.session !== pk)
      throw new DetentError(
        'NOT_FOUND',
        `session "${key}" has no run "${runId}"; see "detent sessions show"`,
        {
          details: { sessionId: key, runId },
        },
      );
    if (sessionId !== undefined) checkSessionKey(sessionId);
    if (sessionId !== undefined && (await store.query('findSession', { tenant, key: sessionId })))
      throw sessionExists(sessionId, 'fork to another key, or delete it first');
    const named = {
      ...(sessionId !== undefined && { sessionId }),
      ...(configured && { configured }),
    };
    return forkAt(store, hosts, { tenant, runId, seq, newId: randomId, redact, at: clock.now(), ...named });
  }

  /**
   * The active grants of the session.
   *
   * @throws DetentError `NOT_FOUND`.
   */
  async grants(tenant: number, key: string): Promise<GrantView[]> {
    const { pk: session } = await this.#find(tenant, key);
    return (await this.#options.store.query('listGrants', { session })).map(grantView);
  }

  /** The active grants of the newest thousand sessions, those of a user if one is named. */
  async allGrants(
    tenant: number,
    user: string | null,
    reach?: Reach,
  ): Promise<(GrantView & { sessionId: string })[]> {
    const { store } = this.#options;
    const listed = { tenant, without: 2, kept: 0, key: '', limit: maxSessionsOfGrants } as const;
    const rows =
      user === null
        ? await store.query('listSessions', listed)
        : await store.query('listUserSessions', { ...listed, user });
    const all = await Promise.all(
      rows.map(async ({ pk: session, key }) => {
        if (!(await isWithin(store, session, reach))) return [];
        const grants = await store.query('listGrants', { session });
        return grants.map((row) => ({ ...grantView(row), sessionId: key }));
      }),
    );
    return all.flat();
  }

  /**
   * Revokes a grant: from the next answer on, its calls need approval again.
   *
   * @throws DetentError `NOT_FOUND`, also when that grant is not in force.
   */
  async revokeGrant(tenant: number, key: string, n: number, requestId?: string): Promise<void> {
    const { pk: session } = await this.#find(tenant, key);
    const at = this.#options.clock.now();
    const revoked = await this.#options.store.commit(function* () {
      const count = yield* ask('revokeGrant', { session, n, at });
      if (count > 0) yield* noteEffect(tenant, requestId, { revoked: true });
      return count;
    });
    if (revoked > 0) return;
    throw new DetentError(
      'NOT_FOUND',
      `session "${key}" has no grant ${n}; see "detent sessions grants ${key}"`,
      { details: { sessionId: key, grant: n } },
    );
  }

  /** Keeps what the user says of an answer; see {@link rate}. */
  rate(tenant: number, key: string, rating: NewRating): Promise<MethodOutput<'session.rate'>> {
    const { store, clock, redact } = this.#options;
    return store.commit(() => rate(tenant, key, rating, { at: clock.now(), redact }));
  }

  /** Searches the conversations of a tenant. @throws DetentError `INVALID_ARGUMENTS`, `MEMORY_INDEX_FAILED`. */
  search(seeker: SessionSeeker, queries: readonly string[], limit?: number): Promise<SessionSearch> {
    return this.#options.conversations.search(seeker, queries, limit);
  }

  /** @throws DetentError as {@link importSession}. */
  async import(
    tenant: number,
    source: LogSource,
    sessionId?: string,
    user: string | null = null,
  ): Promise<ImportedSession> {
    const { store, redact, clock } = this.#options;
    const named = sessionId === undefined ? {} : { sessionId };
    return importSession(store, source, { tenant, user, redact, now: clock.now(), ...named });
  }
}

function checkTitle(title: string): void {
  if (typeof title === 'string' && title.trim() !== '' && title.length <= maxTitle) return;
  throw new DetentError(
    'INVALID_ARGUMENTS',
    `a title is a text of 1 to ${maxTitle} characters, not ${shown(title)}`,
  );
}

import { Exists, noteEffect, type Receipt, type Repeatable } from '../../engine/commit.ts';
import type { Engine } from '../../engine/engine.ts';
import type { EngineEvent } from '../../engine/machine.ts';
import { nameOfPerson } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import type { JsonValue } from '../../protocol/json.ts';
import type { Row, RunRow } from '../../store/rows.ts';
import { isSubRunSession, isTakeover, takeoverContextOf } from '../../store/stored-run.ts';
import { randomId, shortHash } from '../../text/ids.ts';
import { kindOf } from '../kinds/kind-of.ts';
import { noSession } from '../rows/owners.ts';
import { ask, type Store } from '../rows/statements.ts';
import { creationOf, isAnswering, type NewTakeover, nextRunOf, refuseWorkflow } from './begin-takeover.ts';
import { answerRunId } from './takeover-host.ts';

/** Commands to runs, whichever process drives them. */
interface TakenRuns {
  /** See `RunCommands.cutShort`. */
  cutShort(tenant: number, runId: string, takeover: NewTakeover, once: Repeatable): Promise<boolean>;
  send(row: RunRow, event: EngineEvent, once: Repeatable): Promise<Receipt['kind']>;
}

interface TakeoversOptions {
  store: Store;
  engine: Engine;
  runs: TakenRuns;
  /** How long a takeover lasts after the last act of the staff, in milliseconds. */
  expiresMs: number;
}

/** Who acts, and the id of the request: see `OfRequest`. */
interface Act {
  /** As decisions name people. */
  by: string;
  requestId?: string | undefined;
}

/** Another commit was faster: look again. */
class Meanwhile extends Error {}

/** Between two looks, another person or run may always be faster. */
const maxTries = 20;

/**
 * Takeovers of sessions: a person of the staff speaks in place of the agent. Every method takes the tenant first; sessions of
 * other tenants count as not found.
 */
export class Takeovers {
  readonly #options: TakeoversOptions;

  constructor(options: TakeoversOptions) {
    this.#options = options;
  }

  /**
   * Takes a session over: what is at work there or queued is cancelled in the same commit.
   *
   * @throws DetentError `NOT_FOUND`, `OWN_SESSION`, `TAKEN_OVER` by someone else, `WORKFLOW_AT_WORK`, `NOT_A_CONVERSATION`.
   */
  async take(
    tenant: number,
    key: string,
    { by, requestId, ...words }: Act & Pick<NewTakeover, 'reason'>,
  ): Promise<{ runId: string; since: number; by: string }> {
    const { engine, runs } = this.#options;
    const wanted = { ...this.#new(words), by };
    for (let tries = 0; tries < maxTries; tries++) {
      const session = await this.#find(tenant, key);
      refuseOwn(session, key, by);
      const head = await this.#options.store.query('laneHead', { session: session.pk });
      if (head && isTakeover(head)) {
        const { by: other } = takeoverContextOf(head);
        if (other === by) return takenBy(head, by);
        if (other !== null) throw takenOver(key, head);
        const note = noted(requestId, head.id);
        await runs.send(head, { type: 'takeover.take', by, ...words }, note);
      } else if (head) {
        refuseWorkflow(head);
        await runs.cutShort(tenant, head.id, wanted, noted(requestId, wanted.runId));
      } else await this.#create(session, key, wanted, requestId);
      const now = await this.#options.store.query('findTakeover', { session: session.pk });
      if (now && takeoverContextOf(now).by === by) {
        await engine.adopt(session.pk);
        return takenBy(now, by);
      }
    }
    throw new DetentError('SESSION_BUSY', `session "${key}" changes all the time; try again`, {
      retryable: true,
      details: { sessionId: key },
    });
  }

  /**
   * Asks for a person of the staff. What is at work in the session says its last words; nothing else begins there until the
   * takeover is given back.
   *
   * @param asked.key a second request with it does nothing
   * @throws DetentError `NOT_FOUND`, `NOT_A_CONVERSATION`, `WORKFLOW_AT_WORK`.
   */
  async request(
    tenant: number,
    key: string,
    { key: once, ...words }: Pick<NewTakeover, 'reason' | 'summary'> & { key?: string },
  ): Promise<{ runId: string }> {
    const session = await this.#find(tenant, key);
    const found = await this.#options.store.query('findTakeover', { session: session.pk });
    if (found) return { runId: found.id };
    const named =
      once === undefined ? {} : { runId: `run_${shortHash(once)}${shortHash(`takeover ${once}`)}` };
    const wanted = { ...this.#new(words), ...named };
    const { store } = this.#options;
    if (once !== undefined && (await store.query('loadRun', { tenant, id: wanted.runId }))) return wanted;
    const runId = await this.#create(session, key, wanted, undefined);
    return { runId };
  }

  /** Says something to the user. @throws DetentError `NOT_FOUND`, `OWN_SESSION`, `NOT_TAKEN_OVER`. */
  async say(
    tenant: number,
    key: string,
    { by, requestId, text, name }: Act & { text: string; name?: string | undefined },
  ): Promise<{ runId: string }> {
    const row = await this.#current(tenant, key, by);
    const event = { type: 'staff.say', text, by, ...(name !== undefined && { name }) };
    const kind = await this.#options.runs.send(row, event, noted(requestId, row.id));
    if (kind !== 'moved' && kind !== 'duplicate') throw notTakenOver(key);
    return { runId: row.id };
  }

  /**
   * Gives a session back to its agent, which answers if the last words are the user's.
   *
   * @returns the run that answers; null when the user has an answer
   * @throws DetentError `NOT_FOUND`, `OWN_SESSION`, `NOT_TAKEN_OVER`.
   */
  async giveBack(tenant: number, key: string, { by, requestId }: Act): Promise<{ runId: string | null }> {
    const { store, engine, runs } = this.#options;
    const row = await this.#current(tenant, key, by);
    const kind = await runs.send(row, { type: 'takeover.giveBack', by }, noted(requestId, row.id));
    if (kind !== 'moved' && kind !== 'duplicate') throw notTakenOver(key);
    const answer = await store.query('loadRun', { tenant, id: answerRunId(row.id) });
    if (answer) await engine.adopt(answer.session);
    return { runId: answer?.id ?? null };
  }

  /** The answer to a repeated `giveBack`, of which the takeover is known. */
  async answerAfter(tenant: number, takeover: string): Promise<{ runId: string | null }> {
    const id = answerRunId(takeover);
    return { runId: (await this.#options.store.query('loadRun', { tenant, id }))?.id ?? null };
  }

  async #current(tenant: number, key: string, by: string): Promise<RunRow> {
    const session = await this.#find(tenant, key);
    refuseOwn(session, key, by);
    const row = await this.#options.store.query('findTakeover', { session: session.pk });
    if (!row) throw notTakenOver(key);
    return row;
  }

  #new(words: Pick<NewTakeover, 'reason' | 'summary'>): NewTakeover {
    const { expiresMs } = this.#options;
    return { runId: randomId('run'), by: null, expiresMs, ...words };
  }

  /** Makes a takeover at the end of the lane; for one that somebody takes, nothing may be before it. */
  async #create(
    { pk, user, tenant }: Pick<Row<'sessions'>, 'pk' | 'user'> & { tenant: number },
    key: string,
    wanted: NewTakeover,
    requestId: string | undefined,
  ): Promise<string> {
    const { store, engine } = this.#options;
    const { next, isUnanswered } = await store.commit(() => standing(pk));
    const creation = creationOf({ tenant, sessionKey: key, user }, wanted, next, isUnanswered);
    try {
      await engine.create({
        ...creation,
        isRepeatable: true,
        waitsFor(head) {
          refuseWorkflow(head);
          if (wanted.by !== null) throw new Meanwhile();
          return false;
        },
        *writes({ row, post }) {
          for (const other of yield* ask('listActiveRunsOf', { session: row.session })) {
            if (other.pk === row.pk) continue;
            if (isTakeover(other)) throw new Meanwhile();
            refuseWorkflow(other);
            // What the run at the head waits for is the person; runs behind it would speak before that.
            if (kindOf(other).isQueued(other))
              yield* post(other, 'cancel', { reason: 'a person was asked for', left: true });
          }
          yield* noteEffect(tenant, requestId, row.id);
        },
      });
    } catch (error) {
      if (error instanceof Exists) return error.row.id;
      if (!(error instanceof Meanwhile)) throw error;
      const found = await store.query('findTakeover', { session: pk });
      return found?.id ?? wanted.runId;
    }
    return wanted.runId;
  }

  async #find(tenant: number, key: string): Promise<Row<'sessions'> & { tenant: number }> {
    const session = await this.#options.store.query('findSession', { tenant, key });
    if (!session) throw noSession(key);
    if (!isSubRunSession(key)) return { ...session, tenant } as Row<'sessions'> & { tenant: number };
    throw new DetentError(
      'NOT_A_CONVERSATION',
      `session "${key}" belongs to a task, where no user speaks; take over the session of its parent`,
      { details: { sessionId: key } },
    );
  }
}

/** How the agent would answer, and whether its newest run has failed to. */
function* standing(session: number) {
  const [newest] = yield* ask('listRunsOf', { session, limit: 1 });
  const isUnanswered =
    newest !== undefined && isAnswering(newest) && kindOf(newest).endedAs(newest) === 'failed';
  return { next: yield* nextRunOf(session), isUnanswered };
}

function noted(requestId: string | undefined, effect: JsonValue) {
  return requestId === undefined ? {} : { notes: { requestId, effect } };
}

function takenBy(row: RunRow, by: string) {
  return { runId: row.id, since: takeoverContextOf(row).since, by };
}

/** The user of a session does not act as its staff. */
function refuseOwn({ user }: Pick<Row<'sessions'>, 'user'>, key: string, by: string): void {
  if (user === null || nameOfPerson(user) !== by) return;
  throw new DetentError('OWN_SESSION', `session "${key}" is your own: only someone else can take it over`, {
    details: { sessionId: key },
  });
}

/** Someone else has the session. */
function takenOver(key: string, row: RunRow): DetentError {
  const { by, since } = takeoverContextOf(row);
  return new DetentError('TAKEN_OVER', `session "${key}" was taken over by ${JSON.stringify(by)}`, {
    details: { sessionId: key, takenBy: by, since },
  });
}

function notTakenOver(key: string): DetentError {
  return new DetentError(
    'NOT_TAKEN_OVER',
    `nobody has taken session "${key}" over; take it over first, with session.takeover`,
    { details: { sessionId: key } },
  );
}

import type { Clock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import { underWay } from '../engine/noted-requests.ts';
import { DetentError } from '../protocol/error.ts';
import type { JsonValue } from '../protocol/json.ts';
import { type Ask, request as asked, type Program } from '../store/program.ts';
import type { RequestKeyRow } from '../store/rows.ts';
import type { StatementsOf } from '../store/statements.ts';
import type { Store } from '../store/store.ts';

/** A request that may come several times, with one key. */
interface KeyedRequest {
  tenant: number;
  /** Of its key, for whom and for what: unique within the tenant. */
  name: string;
  /** The user whom the key is of, as JSON. */
  owner: string;
  /** Of all that it asks. */
  digest: string;
  /** Whether it may be performed again when the process that performed it died. */
  isRepeatable: boolean;
}

interface KeyedRequestsOptions {
  store: Store<StatementsOf<'requestKeys'>>;
  engine: Pick<Engine, 'join' | 'driverElsewhere'>;
  clock: Clock;
  /** How many keys an owner may have. Default 100,000. */
  maxKeys?: number;
}

/** How long a key counts. */
export const keyMaxAgeMs = 86_400_000;
/** How many keys an owner may have: of more, the oldest are forgotten. */
const maxKeysOfOwner = 100_000;
/** To count keys takes a while. */
const claimsPerCount = 250;
/** How long a process that lives may take for the answer. */
const patienceMs = 30_000;
const lookEveryMs = 25;

const ask: Ask<StatementsOf<'requestKeys'>> = asked;

/** What a request finds: another one's answer or work, or nothing, so that it is to be performed. */
type Claim =
  | { kind: 'mine' }
  | { kind: 'answered'; answer: string }
  | { kind: 'open'; driver: number; effect: string | null };

/** An operation that is the work of a request with a key. */
export interface OfRequest {
  /**
   * The id that `detent.requests.once` gave the work. The commit notes by it what was done, so that a repetition does not do it
   * again.
   */
  requestId?: string | undefined;
}

/** A command to a run, which may also be repeated with a key of a program. */
export interface OfCommand extends OfRequest {
  key?: string | undefined;
}

/** The work of a request. */
interface Work<T> {
  /** Does it; its answer must be JSON. */
  perform(): Promise<T>;
  /** Answers when it was done, and noted, by a process that died before it answered; left out, what was noted does not count. */
  answerOf?(effect: JsonValue): T | Promise<T>;
}

/**
 * Performs each request with a key once, in all processes of a database: the key is a committed row before the work begins, and
 * gets the answer when it is done. A request that fails before it did anything leaves no row, so it may be made again with its key.
 */
export class KeyedRequests {
  readonly #options: KeyedRequestsOptions;
  /** Those that this process performs or waits for. */
  readonly #running = new Map<string, { digest: string; answer: Promise<unknown> }>();
  #claims = 0;

  constructor(options: KeyedRequestsOptions) {
    this.#options = options;
  }

  /**
   * The answer of a request, performed at most once.
   *
   * @throws DetentError `IDEMPOTENCY_CONFLICT` when the key was used for another request, `OUTCOME_UNKNOWN` when the process
   * that performed it died within it and it is not repeatable, `REQUEST_UNDER_WAY` when another process takes long, and what
   * its work throws.
   */
  async once<T>(request: KeyedRequest, work: Work<T>): Promise<T> {
    const id = `${request.tenant} ${request.name}`;
    const running = this.#running.get(id);
    if (running) {
      if (running.digest !== request.digest) throw conflict();
      return running.answer as Promise<T>;
    }
    const answer = this.#once(request, work).finally(() => this.#running.delete(id));
    this.#running.set(id, { digest: request.digest, answer });
    return answer;
  }

  async #once<T>(request: KeyedRequest, { perform, answerOf }: Work<T>): Promise<T> {
    const { store, engine } = this.#options;
    const { tenant, name } = request;
    const driver = await engine.join();
    const found = await this.#claim(request, driver, answerOf !== undefined);
    if (found.answer !== null) return JSON.parse(found.answer) as T;
    const mine = { tenant, name, driver };
    let answer: T;
    try {
      answer = answerOf && found.effect !== null ? await answerOf(JSON.parse(found.effect)) : await perform();
    } catch (error) {
      // A failure of the store here leaves the row to whoever asks next.
      await store.commit(() => ask('deleteRequestKey', mine)).catch(() => {});
      throw error;
    }
    await store.commit(() => ask('answerRequestKey', { ...mine, answer: JSON.stringify(answer ?? null) }));
    return answer;
  }

  /** The answer that there is; null when the request is this driver's to perform, or to answer by its effect. */
  async #claim(
    request: KeyedRequest,
    driver: number,
    countsEffect: boolean,
  ): Promise<Pick<RequestKeyRow, 'effect' | 'answer'>> {
    const { store, engine, clock } = this.#options;
    const { tenant, name } = request;
    const since = performance.now();
    const count = this.#claims++ % claimsPerCount === 0;
    for (;;) {
      const found = await store.commit(() => this.#look(request, driver, clock.now(), count));
      if (found.kind === 'mine') return { effect: null, answer: null };
      if (found.kind === 'answered') return { effect: null, answer: found.answer };
      // One of this driver's that it does not perform: it could not store the answer.
      const isAlive = found.driver !== driver && (await engine.driverElsewhere(found)) !== null;
      if (!isAlive) {
        const { effect } = found;
        if (!request.isRepeatable && !(countsEffect && effect !== null)) throw unknownOutcome();
        const passed = { tenant, name, was: found.driver, driver };
        if ((await store.commit(() => ask('passRequestKey', passed))) > 0) return { effect, answer: null };
      } else if (performance.now() - since > patienceMs) throw underWay();
      else await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  }

  *#look(
    { tenant, name, owner, digest }: KeyedRequest,
    driver: number,
    at: number,
    isCounted: boolean,
  ): Program<Claim> {
    yield* ask('deleteRequestKeysBefore', { at: at - keyMaxAgeMs });
    const found = yield* ask('findRequestKey', { tenant, name });
    if (found) {
      if (found.digest !== digest) throw conflict();
      const { answer, effect } = found;
      return answer === null ? { kind: 'open', driver: found.driver, effect } : { kind: 'answered', answer };
    }
    const keep = this.#options.maxKeys ?? maxKeysOfOwner;
    if (isCounted) yield* ask('deleteSurplusRequestKeys', { tenant, owner, keep });
    yield* ask('insertRequestKey', { tenant, name, owner, digest, driver, effect: null, at, run: null });
    return { kind: 'mine' };
  }
}

function conflict(): DetentError {
  return new DetentError(
    'IDEMPOTENCY_CONFLICT',
    'another request was made with the same idempotencyKey; use a new key for another request',
  );
}

function unknownOutcome(): DetentError {
  return new DetentError(
    'OUTCOME_UNKNOWN',
    'the process that performed the request with this idempotencyKey died within it, so it is unknown whether it was done: look, then ask with a new key',
  );
}

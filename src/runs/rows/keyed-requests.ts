import type { Clock } from '../../engine/clock.ts';
import { underWay } from '../../engine/commit.ts';
import type { Engine } from '../../engine/engine.ts';
import { DetentError } from '../../protocol/error.ts';
import type { JsonValue } from '../../protocol/json.ts';
import { type Ask, request as asked, order, type Program, type Tell } from '../../store/program.ts';
import type { RequestKeyRow } from '../../store/rows.ts';
import type { StatementsOf } from '../../store/statements.ts';
import type { Store } from '../../store/store.ts';

/** A request that may come several times, with one key. */
interface KeyedRequest {
  tenant: number;
  /** The name of its key, with owner and purpose: unique within the tenant. */
  name: string;
  /** The user who owns the key, as JSON. */
  owner: string;
  /** The digest of everything that the request asks for. */
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
/** Keys are counted only after this many claims, because counting takes a while. */
const claimsPerCount = 250;
/** How long a live process may take for the answer. */
const patienceMs = 30_000;
const lookEveryMs = 25;

const ask: Ask<StatementsOf<'requestKeys'>> = asked;
const tell: Tell<StatementsOf<'requestKeys'>> = order;

/** The result of a claim: another request's answer or work, or nothing, so that this request must be performed. */
type Claim =
  | { kind: 'mine' }
  | { kind: 'answered'; answer: string }
  | { kind: 'open'; driver: number; effect: string | null };

/** The options of an operation that performs a request with a key. */
export interface OfRequest {
  /**
   * The id that `detent.requests.once` gave the work. The commit stores its result under this id, so that a repetition
   * does not do it again.
   */
  requestId?: string | undefined;
}

/** A command to a run, which may also be repeated with a key of a program. */
export interface OfCommand extends OfRequest {
  key?: string | undefined;
}

/** The work of a request. */
interface Work<T> {
  /** Performs the request; the answer must be JSON. */
  perform(): Promise<T>;
  /**
   * Makes the answer from the stored result, if a process performed the request and died before it answered. Without
   * it, the stored result is ignored.
   */
  answerOf?(effect: JsonValue): T | Promise<T>;
}

/**
 * Performs each request with a key once, in all processes of a database: the key is a committed row before the work begins, and
 * gets the answer when it is done. A request that fails before it did anything leaves no row, so it may be made again with its key.
 */
export class KeyedRequests {
  readonly #options: KeyedRequestsOptions;
  /** The requests that this process performs or waits for. */
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
      // If the store fails here, the next request deals with the row.
      await store.commit(() => ask('deleteRequestKey', mine)).catch(() => {});
      throw error;
    }
    await store.commit(() => ask('answerRequestKey', { ...mine, answer: JSON.stringify(answer ?? null) }));
    return answer;
  }

  /** The existing answer; null when this driver must perform the request, or answer it from its stored result. */
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
      // The row is this driver's, but it does not perform the request: it could not store the answer.
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
    yield* tell('insertRequestKey', { tenant, name, owner, digest, driver, effect: null, at, run: null });
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

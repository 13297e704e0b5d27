import type { Clock } from '../../engine/clock.ts';
import type { Fact } from '../../engine/machine.ts';
import type { ModelAnswer } from '../../protocol/content.ts';
import type { ModelRequest } from '../../protocol/ports.ts';
import type { RunOptions } from '../../store/run-options.ts';
import { hex, sha256 } from '../../text/ids.ts';
import type { RunJob } from './run-effect.ts';
import { ask, type Store } from './statements.ts';

/** A lookup in the answer cache. */
interface KnownQuestion {
  /** The cached answer, marked `cached`; null when there is none, or it has expired. */
  answer: ModelAnswer | null;
  /** Makes the commit of a new answer's fact also write it into the cache. */
  keep(fact: Fact, answer: ModelAnswer): Fact;
}

type Kept = Omit<ModelAnswer, 'usage' | 'error' | 'cached'>;

interface CacheOptions {
  store: Store;
  clock: Pick<Clock, 'now'>;
  /** An answer with a secret is not kept. */
  redact(text: string): string;
  /** Lifetime of answers in milliseconds. */
  ttlMs: number;
}

/** A tenant's answers to earlier requests, which all processes share. */
export class AnswerCache {
  readonly #options: CacheOptions;

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  /**
   * Looks a request up. Null when the run opted out.
   *
   * @param name the `provider/model` to call.
   */
  async lookUp(
    { run, options: { endpoint, cache: isWanted = true } }: RunJob,
    name: string,
    request: ModelRequest,
  ): Promise<KnownQuestion | null> {
    if (!isWanted) return null;
    const { tenant } = run;
    const { store, clock, redact, ttlMs } = this.#options;
    const key = questionKey(name, endpoint, request);
    const kept = await store.query('findAnswer', { tenant, key, since: clock.now() - ttlMs });
    return {
      answer: kept ? { ...(JSON.parse(kept.answer) as Kept), usage: null, error: null, cached: true } : null,
      keep(fact, answer) {
        const text = JSON.stringify(whatIsKept(answer));
        // An answer with a secret cannot be cached: redacted it would be another answer, and unredacted it must not be stored.
        if (!isWorthKeeping(answer) || redact(text) !== text) return fact;
        return {
          ...fact,
          *writes(scope) {
            if (fact.writes) yield* fact.writes(scope);
            yield* ask('deleteAnswersBefore', { before: scope.at - ttlMs });
            yield* ask('putAnswer', { tenant, key, answer: text, at: scope.at });
          },
        };
      },
    };
  }
}

/**
 * The cache key: SHA-256, in hex, of everything that an answer depends on. How the answer is transferred (streamed or
 * whole) is not part of it.
 */
export function questionKey(
  name: string,
  endpoint: RunOptions['endpoint'],
  { model, messages, tools, output, maxOutputTokens }: ModelRequest,
): string {
  const question: unknown[] = [
    name,
    endpoint?.baseUrl,
    endpoint?.api,
    model,
    messages,
    tools,
    maxOutputTokens,
  ];
  if (output) question.push(output);
  return hex(sha256(JSON.stringify(question)));
}

/** Only complete answers with content are cached. */
function isWorthKeeping({ error, finish, text, toolCalls }: ModelAnswer): boolean {
  if (error || (finish !== 'stop' && finish !== 'toolCalls')) return false;
  return text.trim() !== '' || toolCalls.length > 0;
}

function whatIsKept({ usage: _usage, error: _error, cached: _cached, ...kept }: ModelAnswer): Kept {
  return kept;
}

import type { Fact } from '../../engine/machine-host.ts';
import type { ModelRequest } from '../../ports/chat-model.ts';
import type { ModelAnswer } from '../../protocol/answer.ts';
import type { RunOptions } from '../../records/run-options.ts';
import type { RunJob } from '../run-effect.ts';
import type { AgentServices } from '../services.ts';
import { ask } from '../statements.ts';

/** A question that may have been answered before. */
export interface KnownQuestion {
  /** The earlier answer, marked `cached`; null when there is none, or none that is young enough. */
  answer: ModelAnswer | null;
  /** Adds to the fact of a new answer that it is kept, in the same commit. */
  keep(fact: Fact, answer: ModelAnswer): Fact;
}

type Kept = Omit<ModelAnswer, 'usage' | 'error' | 'cached'>;

/**
 * Looks a question up among the answers that are kept, of this tenant and of every process. Null when none are: the
 * configuration says how long they live, and a run can do without.
 *
 * @param name `provider/model` that is about to be asked.
 */
export async function lookUp(
  { store, clock, redact, cache }: AgentServices,
  { run, options: { endpoint, cache: isWanted = true } }: RunJob,
  name: string,
  request: ModelRequest,
): Promise<KnownQuestion | null> {
  if (!cache || !isWanted) return null;
  const { tenant } = run;
  const { ttlMs } = cache;
  const key = await questionKey(name, endpoint, request);
  const kept = await store.query('findAnswer', { tenant, key, since: clock.now() - ttlMs });
  return {
    answer: kept ? { ...(JSON.parse(kept.answer) as Kept), usage: null, error: null, cached: true } : null,
    keep(fact, answer) {
      const text = JSON.stringify(whatIsKept(answer));
      // With a secret taken out it would be another answer, and with it in, it may not be stored.
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

/**
 * SHA-256 of all that an answer depends on, hex: two calls with the same key would ask the same. How an answer is
 * transferred (streamed or whole) is not part of it.
 */
export async function questionKey(
  name: string,
  endpoint: RunOptions['endpoint'],
  { model, messages, tools, maxOutputTokens }: ModelRequest,
): Promise<string> {
  const { sha256 } = await import('@noble/hashes/sha2.js');
  const question = [name, endpoint?.baseUrl, endpoint?.api, model, messages, tools, maxOutputTokens];
  const bytes = sha256(new TextEncoder().encode(JSON.stringify(question)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A whole answer that says something: nothing else is worth hearing twice. */
function isWorthKeeping({ error, finish, text, toolCalls }: ModelAnswer): boolean {
  if (error || (finish !== 'stop' && finish !== 'toolCalls')) return false;
  return text.trim() !== '' || toolCalls.length > 0;
}

function whatIsKept({ usage: _usage, error: _error, cached: _cached, ...kept }: ModelAnswer): Kept {
  return kept;
}

import type { RunContext } from '../../../machines/run.types.ts';
import type { ModelError, ModelErrorKind } from '../../protocol/answer.ts';
import type { RunOptions } from '../../records/run-options.ts';
import { backoffMs, maxPatienceMs } from './retry-policy.ts';

/** The model that a call goes to now, and the one after it in the run's list. */
export interface Route {
  name: string;
  /** Null when there is no other. */
  next: string | null;
}

/** A wait that is shorter than this is better than another model, once. */
const shortWaitMs = 2_000;

/** Another model would say the same, or nobody wants an answer any more. */
const sameElsewhere: ReadonlySet<ModelErrorKind> = new Set(['bad_request', 'context_overflow', 'aborted']);

/**
 * Which model a call goes to. Pure: replaying the run gives the same.
 *
 * `roundRobin` turns the list by the number of the run and of the step, so that runs, and the steps of one run, begin
 * with different models.
 */
export function routeOf(
  options: Pick<RunOptions, 'model' | 'fallbacks' | 'strategy'>,
  run: { pk: number },
  { route, steps }: Pick<RunContext, 'route' | 'steps'>,
): Route {
  const names = candidates(options, { run: run.pk, steps });
  const place = Math.min(route, names.length - 1);
  return { name: names[place] ?? options.model, next: names[place + 1] ?? null };
}

/**
 * The models of a run in the order in which one call tries them.
 *
 * @param run number of the run.
 * @param steps answers that it has had.
 */
export function candidates(
  { model, fallbacks = [], strategy = 'failover' }: Pick<RunOptions, 'model' | 'fallbacks' | 'strategy'>,
  { run, steps }: { run: number; steps: number },
): string[] {
  const names = [...new Set([model, ...fallbacks])];
  const first = strategy === 'roundRobin' ? (run + steps) % names.length : 0;
  return [...names.slice(first), ...names.slice(0, first)];
}

/**
 * What becomes of a call that failed: once more after a while, on to the next model, or the end. `note` says more than
 * the error does.
 */
export type AfterFailure =
  | { kind: 'retry'; delayMs: number }
  | { kind: 'switch' }
  | { kind: 'fail'; note?: string };

interface Failure {
  /** Whether output had begun, so that a repeat would say things twice. */
  partial: boolean;
  next: string | null;
  context: Pick<RunContext, 'attempt' | 'waitedMs' | 'limits'>;
  /** Uniform in [0, 1). */
  random(): number;
}

/**
 * Judges a failed call. Once output has begun there is no second try. While another model is left it is taken at once,
 * except after the first network failure at this one, or where this one asks for a wait of 2 s at most: that is tried
 * once. The last model is tried until attempts or patience are used up.
 */
export function afterFailure(
  error: Pick<ModelError, 'kind' | 'code' | 'retryable' | 'retryAfterMs'>,
  { partial, next, context, random }: Failure,
): AfterFailure {
  const { attempt, waitedMs, limits } = context;
  if (partial || error.kind === 'aborted') return { kind: 'fail' };
  const delayMs = backoffMs(error, attempt, random, waitedMs);
  if (next !== null && mayServeElsewhere(error)) {
    const again = attempt === 1 && limits.attempts > 1 && isBlip(error);
    return again && delayMs !== null ? { kind: 'retry', delayMs } : { kind: 'switch' };
  }
  if (delayMs !== null) return { kind: 'retry', delayMs };
  return error.retryable ? { kind: 'fail', note: outOfPatience(error, waitedMs) } : { kind: 'fail' };
}

/** Whether another model may answer where this one failed. */
export function mayServeElsewhere({ kind }: Pick<ModelError, 'kind'>): boolean {
  return !sameElsewhere.has(kind);
}

/** Over before another model would have begun. An open circuit is the memory of many failures, however short. */
function isBlip({ kind, code, retryAfterMs }: Pick<ModelError, 'kind' | 'code' | 'retryAfterMs'>): boolean {
  if (code === 'MODEL_CIRCUIT_OPEN') return false;
  return retryAfterMs === undefined ? kind === 'network' : retryAfterMs <= shortWaitMs;
}

function outOfPatience({ retryAfterMs }: Pick<ModelError, 'retryAfterMs'>, waitedMs: number): string {
  const most = `one model call waits ${maxPatienceMs / 1000} s in all`;
  const waited = waitedMs > 0 ? `, and ${Math.round(waitedMs / 1000)} s of them are used up` : '';
  return retryAfterMs === undefined
    ? `It was not asked again: ${most}${waited}.`
    : `It asks for a wait of ${Math.ceil(retryAfterMs / 1000)} s, but ${most}${waited}.`;
}

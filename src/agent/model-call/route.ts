import type { RunContext } from '../../../machines/run.types.ts';
import type { ModelError, ModelErrorKind } from '../../protocol/content.ts';
import type { RunOptions } from '../../store/run-options.ts';

/** The model for a call, and the next one in the run's list. */
export interface Route {
  name: string;
  /** Null when there is no other. */
  next: string | null;
}

/** One wait of at most this length is preferred to another model. */
const shortWaitMs = 2_000;

/** Errors without a switch: another model would fail the same way, or the call was aborted. */
const sameElsewhere: ReadonlySet<ModelErrorKind> = new Set(['bad_request', 'context_overflow', 'aborted']);

/**
 * Which model a call goes to. Pure, so a replay gives the same.
 *
 * `roundRobin` rotates the list by the numbers of the run and the step, so that runs, and the steps of one run, begin with
 * different models.
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
 * @param steps answers of the run so far.
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
 * The next step after a failed call: retry after a wait, switch to the next model, or fail. `note` adds to the error's
 * message.
 */
export type AfterFailure =
  | { kind: 'retry'; delayMs: number }
  | { kind: 'switch' }
  | { kind: 'fail'; note?: string };

interface Failure {
  next: string | null;
  context: Pick<RunContext, 'attempt' | 'waitedMs' | 'limits'>;
  /** Uniform in [0, 1). */
  random(): number;
}

/**
 * Decides what follows a failed call, whether or not its answer had begun. While another model is left, the call switches
 * at once, with two exceptions that get one retry: the first network failure at this model, and a requested wait of at most
 * 2 s. The last model is retried until the maximum of attempts or of waits is reached.
 */
export function afterFailure(
  error: Pick<ModelError, 'kind' | 'code' | 'retryable' | 'retryAfterMs'>,
  { next, context, random }: Failure,
): AfterFailure {
  const { attempt, waitedMs, limits } = context;
  if (error.kind === 'aborted') return { kind: 'fail' };
  const delayMs = backoffMs(error, attempt, random, waitedMs);
  if (next !== null && mayServeElsewhere(error)) {
    const again = attempt === 1 && limits.attempts > 1 && isBlip(error);
    return again && delayMs !== null ? { kind: 'retry', delayMs } : { kind: 'switch' };
  }
  if (delayMs !== null) return { kind: 'retry', delayMs };
  return error.retryable ? { kind: 'fail', note: outOfWaitingTime(error, waitedMs) } : { kind: 'fail' };
}

/** Whether another model may answer where this one failed. */
export function mayServeElsewhere({ kind }: Pick<ModelError, 'kind'>): boolean {
  return !sameElsewhere.has(kind);
}

/** Whether one retry is worth more than a switch. An open circuit stands for many failures, so it never is. */
function isBlip({ kind, code, retryAfterMs }: Pick<ModelError, 'kind' | 'code' | 'retryAfterMs'>): boolean {
  if (code === 'MODEL_CIRCUIT_OPEN') return false;
  return retryAfterMs === undefined ? kind === 'network' : retryAfterMs <= shortWaitMs;
}

function outOfWaitingTime({ retryAfterMs }: Pick<ModelError, 'retryAfterMs'>, waitedMs: number): string {
  const maximum = `one model call waits ${maxTotalWaitMs / 1000} s in all`;
  const waited = waitedMs > 0 ? `, and ${Math.round(waitedMs / 1000)} s of them are used up` : '';
  return retryAfterMs === undefined
    ? `It was not retried: ${maximum}${waited}.`
    : `It asks for a wait of ${Math.ceil(retryAfterMs / 1000)} s, but ${maximum}${waited}.`;
}

const baseMs = 500;
const longestMs = 20_000;
/** Maximum of all waits of one model call together. A provider that asks for a longer wait counts as failed. */
const maxTotalWaitMs = 60_000;

/**
 * How long to wait before the next attempt: what the provider asked for, else full jitter over an exponential
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/). Null when a retry would not help, or when
 * the waits of the call would exceed a minute together.
 *
 * @param attempt the attempt that failed, from 1.
 * @param random uniform in [0, 1).
 * @param waitedMs how long this call has waited before earlier attempts.
 */
export function backoffMs(
  error: Pick<ModelError, 'retryable' | 'retryAfterMs'>,
  attempt: number,
  random: () => number,
  waitedMs = 0,
): number | null {
  if (!error.retryable) return null;
  const leftMs = maxTotalWaitMs - waitedMs;
  if (error.retryAfterMs !== undefined)
    return error.retryAfterMs > leftMs ? null : Math.max(0, error.retryAfterMs);
  if (leftMs <= 0) return null;
  return Math.min(leftMs, Math.round(random() * Math.min(longestMs, baseMs * 2 ** (attempt - 1))));
}

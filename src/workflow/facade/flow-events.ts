import type { EventObject } from 'xstate';
import { packed } from '../../engine/machine.ts';
import { type JsonValue, parseJson } from '../../protocol/json.ts';
import type { StoredTaint } from '../../store/stored-message.ts';
import type { FlowContext, FlowOutput, OpenService } from '../../store/stored-run.ts';
import type { RetryPolicy } from '../services.ts';
import type { ChartService } from './chart-services.ts';
import { failureOf, type ServiceError } from './service-failure.ts';
import { raised, retried, retryTimer, type Turn, unknown } from './turn.ts';

/** A fact of a service, a command, a timer, or an event of the chart's own. */
export interface FlowEvent extends EventObject {
  effectId?: number;
  /** Milliseconds since the epoch; the engine adds it. */
  at?: number;
  [field: string]: unknown;
}

type Settled =
  /** The event has no effect: it belongs to an invocation that was left. */
  | { kind: 'ignored' }
  /** The run has changed, and its chart gets no event. */
  | { kind: 'noted' }
  | { kind: 'event'; event: FlowEvent }
  /** The run ends. */
  | { kind: 'failed'; output: FlowOutput };

const ignored: Settled = { kind: 'ignored' };
const noted: Settled = { kind: 'noted' };

/** Settles the open services of a run by an event, and returns the event for the chart, if any. */
export function settle(
  turn: Turn,
  flow: FlowContext,
  services: ReadonlyMap<string, ChartService>,
  event: FlowEvent,
): Settled {
  const { type } = event;
  if (type === 'run.resumed' || type === 'run.start') return ignored;
  if (type.startsWith(retried)) return retry(turn, flow, Number(type.slice(retried.length)));
  if (type.startsWith(raised)) return raise(turn, flow, type.slice(raised.length), event.at);
  if (type.startsWith(unknown))
    return reconciled(turn, flow, { ...event, callId: Number(type.slice(unknown.length)), verdict: 'skip' });
  if (type === 'tool.reconcile') return reconciled(turn, flow, event);
  const isFact = type === 'effect.poisoned' || type.startsWith('service.') || type.startsWith('action.');
  if (!isFact) return { kind: 'event', event };
  const entry = flow.open.find(({ n }) => n === event.effectId);
  return entry ? ended(turn, services, entry, event) : ignored;
}

function ended(
  turn: Turn,
  services: ReadonlyMap<string, ChartService>,
  entry: OpenService,
  event: FlowEvent,
): Settled {
  turn.note(event as { spent?: FlowContext['spent']; tainted?: readonly StoredTaint[] });
  switch (event.type) {
    case 'service.began':
      turn.replace(entry, { ...entry, linked: true });
      return noted;
    case 'service.uncertain':
      turn.replace(entry, { ...entry, kind: 'uncertain' });
      turn.askPerson(entry);
      return noted;
    case 'service.done':
      turn.drop(entry);
      return done(entry, event.output, event.at);
    case 'action.done': {
      turn.drop(entry);
      const error = event.error as ServiceError | undefined;
      return error
        ? {
            kind: 'failed',
            output: {
              outcome: 'failed',
              error: { code: error.code, message: `action "${entry.id}": ${error.message}` },
            },
          }
        : noted;
    }
    case 'effect.poisoned':
      // Its process may have begun the run before it died.
      if (entry.kind === 'run') turn.ask('effect.abort', { ids: [entry.n] });
      return broken(
        turn,
        services,
        entry,
        {
          code: 'POISONED',
          message: `"${entry.id}" was started three times, and its process died each time`,
          retryable: false,
        },
        event.at,
      );
    default:
      return broken(turn, services, entry, event.error as ServiceError, event.at);
  }
}

function broken(
  turn: Turn,
  services: ReadonlyMap<string, ChartService>,
  entry: OpenService,
  error: ServiceError,
  at: number | undefined,
): Settled {
  if (entry.kind === 'action') {
    turn.drop(entry);
    return {
      kind: 'failed',
      output: { outcome: 'failed', error: { code: error.code, message: `action ${error.message}` } },
    };
  }
  const service = services.get(entry.src);
  const policy = service && 'retry' in service ? service.retry : undefined;
  const delayMs = retryDelay(policy, entry.attempt, error);
  if (delayMs === null) {
    turn.drop(entry);
    return actorFailed(entry, error, at);
  }
  const { linked: _, ...kept } = entry;
  turn.replace(entry, { ...kept, kind: 'retry' });
  turn.ask('timer.set', { id: retryTimer(entry.n), event: `${retried}${entry.n}`, delayMs });
  return noted;
}

function retry(turn: Turn, { open }: FlowContext, n: number): Settled {
  const entry = open.find((one) => one.kind === 'retry' && one.n === n);
  if (!entry) return ignored;
  turn.again(entry);
  return noted;
}

function raise(turn: Turn, { delayed }: FlowContext, id: string, at: number | undefined): Settled {
  const event = delayed[id];
  if (!event) return ignored;
  delete turn.delayed[id];
  return { kind: 'event', event: { ...packed(event), ...(at !== undefined && { at }) } as FlowEvent };
}

/** A person has decided about an interrupted step, or the time for the decision is over. */
function reconciled(turn: Turn, { open }: FlowContext, { callId, verdict, result, at }: FlowEvent): Settled {
  const entry = open.find((one) => one.kind === 'uncertain' && one.n === callId);
  if (!entry) return ignored;
  turn.closeQuestion(entry.n, result);
  if (verdict === 'retry') {
    const next: OpenService = { ...entry, kind: 'step' };
    turn.replace(entry, next);
    turn.perform(next);
    return noted;
  }
  turn.drop(entry);
  turn.ask('effect.abort', { ids: [entry.n] });
  if (verdict === 'ran') return done(entry, typed(result), at);
  const message = `it is not known whether "${entry.id}" ran: its process died, and a person went on without it`;
  return actorFailed(entry, { code: 'OUTCOME_UNKNOWN', message }, at);
}

/**
 * Parses the output of a step that a person typed: as JSON if possible, else as text. A long row of digits stays text,
 * because a number would lose some.
 */
function typed(result: unknown): JsonValue {
  if (typeof result !== 'string') return null;
  const value = parseJson(result) as JsonValue | undefined;
  const isText = value === undefined || (typeof value === 'number' && String(value) !== result.trim());
  return isText ? result : value;
}

function done({ id }: OpenService, output: unknown, at: number | undefined): Settled {
  return {
    kind: 'event',
    event: { type: `xstate.done.actor.${id}`, output, actorId: id, ...(at !== undefined && { at }) },
  };
}

function actorFailed({ id }: OpenService, failure: ServiceError, at: number | undefined): Settled {
  const error = failureOf(failure);
  return {
    kind: 'event',
    event: { type: `xstate.error.actor.${id}`, error, actorId: id, ...(at !== undefined && { at }) },
  };
}

/** Failures that a repetition cannot change. */
const final: readonly string[] = [
  'REJECTED_BY_USER',
  'EXPIRED',
  'CANCELLED',
  'INVALID_INPUT',
  'NOT_DURABLE',
  'UNKNOWN_TOOL',
  'UNKNOWN_AGENT',
  'TOOL_NOT_ALLOWED',
  'BUDGET_EXHAUSTED',
  'OUTCOME_UNKNOWN',
  'POISONED',
];

/** Milliseconds until the next attempt after that one failed; null when there is none. */
function retryDelay(
  policy: RetryPolicy | undefined,
  attempt: number,
  { code, retryable }: { code: string; retryable?: boolean },
): number | null {
  if (!policy || attempt >= policy.attempts || retryable === false || final.includes(code)) return null;
  const { delayMs = 1_000, factor = 2, maxDelayMs = 3_600_000 } = policy;
  return Math.round(Math.min(maxDelayMs, delayMs * factor ** (attempt - 1)));
}

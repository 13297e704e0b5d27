import type { StateValue } from 'xstate';
import { isObject, type JsonValue } from '../../protocol/json.ts';
import type { RunRow, TimerRow } from '../../store/rows.ts';
import { flowContextOf } from '../../store/stored-run.ts';
import type { Plain } from './plain-chart.ts';

/** Where a chart stands, for comparison. */
export interface Standing {
  state: StateValue;
  context: JsonValue;
  /** Null before it has ended. */
  end: { outcome: string; output: JsonValue; error: JsonValue } | null;
  /** The types of the events that timers will send, with their times, sorted. */
  timers: readonly string[];
  /** The ids of the services that run, sorted. */
  services: readonly string[];
}

/** Where a durable run stands, as its rows say. */
export function standingOf(row: RunRow, timers: readonly TimerRow[]): Standing {
  const { user, end, open, delayed } = flowContextOf(row);
  const isOver = row.ended === 1;
  return {
    state: JSON.parse(row.state),
    context: user,
    end:
      isOver && end ? { outcome: end.outcome, output: end.output ?? null, error: errorOf(end.error) } : null,
    timers: [
      ...timers.map(({ id, dueAt }) => timerOf(delayed[id]?.type ?? id, dueAt)),
      // Raised later, and no timer will.
      ...Object.keys(delayed).filter((id) => !timers.some((timer) => timer.id === id)),
    ].sort(),
    services: open.map(({ id }) => id).sort(),
  };
}

/** Where the same chart stands under XState alone. */
export function plainStanding({ snapshot, timers, open }: Plain): Standing {
  const { value, context, status, output, error } = snapshot;
  return {
    state: value,
    context: plain(context),
    end:
      status === 'active'
        ? null
        : status === 'done'
          ? { outcome: 'done', output: plain(output), error: null }
          : { outcome: 'failed', output: null, error: errorOf(error) },
    timers: timers.map(({ event, dueAt }) => timerOf(event.type, dueAt)).sort(),
    services: [...open.keys()].sort(),
  };
}

function timerOf(type: string, dueAt: number): string {
  return `${type} at ${dueAt}`;
}

/** What an error of a service says; other errors have other words in a run. */
function errorOf(error: unknown): JsonValue {
  const { code, message } = (isObject(error) ? error : {}) as Record<string, unknown>;
  return typeof code === 'string' && typeof message === 'string' ? { code, message } : null;
}

/** As a row has it. */
function plain(value: unknown): JsonValue {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as JsonValue);
}

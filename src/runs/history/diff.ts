import { isObject } from '../../protocol/json.ts';
import type { MethodOutput } from '../../protocol/methods.ts';
import type { RunRow } from '../../store/rows.ts';
import type { IsDriven } from '../rows/run-status.ts';
import type { Store } from '../rows/statements.ts';
import { readRunView } from '../views/read-run-view.ts';
import { type LoggedEvent, readEvents } from './events.ts';

/** The transition of one of two runs at their first difference. */
export type PartingTransition = NonNullable<Parting['a']>;

/** A field that differs; undefined on a side that lacks it. */
export type FieldDifference = Parting['differences'][number];

type DiffSide = RunDiff['a'];

export interface RunDiff extends MethodOutput<'run.diff'> {}

type Parting = NonNullable<RunDiff['parting']>;

/**
 * Finds the first difference of two runs, and how each ended. Ignores times, waiting periods and costs, which vary from
 * run to run.
 */
export async function diffRuns(store: Store, isDriven: IsDriven, a: RunRow, b: RunRow): Promise<RunDiff> {
  const [ofA, ofB] = [doneBy(store, a), doneBy(store, b)];
  let common = 0;
  let [nextA, nextB] = [await nextOf(ofA), await nextOf(ofB)];
  while (isSame(nextA, nextB)) {
    common++;
    [nextA, nextB] = [await nextOf(ofA), await nextOf(ofB)];
  }
  return {
    common,
    parting:
      nextA || nextB
        ? {
            a: parting(nextA),
            b: parting(nextB),
            differences: nextA && nextB ? differences(nextA, nextB) : [],
          }
        : null,
    a: await sideOf(store, isDriven, a),
    b: await sideOf(store, isDriven, b),
  };
}

/**
 * Events about how a run was driven and how long its tasks waited, which are no difference: a resumed fork begins with a
 * take-over, and the services of a chart begin in any order.
 */
const outward = new Set(['run.resumed', 'run.migrated', 'subrun.parked', 'subrun.resumed', 'service.began']);

async function* doneBy(store: Store, row: RunRow): AsyncGenerator<LoggedEvent> {
  for await (const logged of readEvents(store, row)) if (!outward.has(logged.event.type)) yield logged;
}

async function nextOf(events: AsyncGenerator<LoggedEvent>): Promise<LoggedEvent | undefined> {
  const { done, value } = await events.next();
  return done ? undefined : value;
}

function isSame(a: LoggedEvent | undefined, b: LoggedEvent | undefined): boolean {
  return a !== undefined && b !== undefined && differences(a, b).length === 0;
}

function parting(transition: LoggedEvent | undefined): PartingTransition | null {
  return transition ? { seq: transition.seq, type: transition.event.type, path: transition.path } : null;
}

/** Fields that are no difference in what a run did. */
const volatile = new Set([
  'delayMs',
  'lastAt',
  'cost',
  'costUsd',
  'spent',
  'usage',
  'estimated',
  'window',
  'room',
  'upTo',
  'head',
  'artifact',
  'providerData',
  // The provider's id of a tool call.
  'id',
]);

/** When a source of untrusted text was read, and by which run. */
const whenTainted = /\btainted\.\d+\.(run|at)$/;

function differences(a: LoggedEvent, b: LoggedEvent): FieldDifference[] {
  const shown = ({ path, event, messages }: LoggedEvent) => ({ path, event, messages });
  return compare('', shown(a), shown(b));
}

function compare(field: string, a: unknown, b: unknown): FieldDifference[] {
  if (a === b) return [];
  const inner = (key: string) => (field === '' ? key : `${field}.${key}`);
  if ((isObject(a) && isObject(b)) || (Array.isArray(a) && Array.isArray(b))) {
    const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
    const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
    return [...keys]
      .filter((key) => !volatile.has(key) && !whenTainted.test(inner(key)))
      .flatMap((key) => compare(inner(key), left[key], right[key]));
  }
  return [{ field, a, b }];
}

async function sideOf(store: Store, isDriven: IsDriven, row: RunRow): Promise<DiffSide> {
  const { runId, status, outcome, steps, usage, text } = await readRunView(store, row, isDriven);
  return {
    runId,
    status,
    outcome,
    transitions: row.seq,
    steps: steps.length,
    toolCalls: steps.reduce((sum, { toolCalls }) => sum + toolCalls.length, 0),
    usage,
    text,
  };
}

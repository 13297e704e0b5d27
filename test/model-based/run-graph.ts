import type { AnyMachineSnapshot } from 'xstate';
import { runMachine } from '../../machines/run.machine.ts';
import type {
  AnswerCall,
  PendingCall,
  RunContext,
  RunEvent,
  RunInput,
  RunLimits,
} from '../../machines/run.types.ts';
import { pathOf } from '../../src/engine/machine/decide.ts';
import { type Answer, scriptedCost as cost, eventsToTry } from '../../src/testing/agent/run-events.ts';
import { type TransitionPath, transitionPaths } from '../../src/testing/transition-paths.ts';

/** Limits small enough that every guard can be reached, large enough that every round can be repeated. */
export const graphLimits: RunLimits = {
  steps: 8,
  tokens: 1_000,
  costUsd: null,
  workMs: 1_800_000,
  errors: 2,
  repeats: 2,
  attempts: 2,
  parallel: 2,
  queueMs: 86_400_000,
  confirmMs: 604_800_000,
  reconcileMs: 604_800_000,
};

/** Uses up the token limit at once. */
const highCost = { inputTokens: 900, outputTokens: 200, costUsd: 0 };

/** The answers tried in `requesting`: one for each branch that an answer can take. */
function answers(next: number): Answer[] {
  const call = (offset: number, gate: AnswerCall['gate'], kind: PendingCall['class']): AnswerCall => ({
    callId: next + offset,
    gate,
    class: kind,
    ...(gate === 'refuse' && { byPolicy: true, key: 'refused' }),
  });
  const calls = (...list: AnswerCall[]) => ({ finish: 'toolCalls' as const, text: false, calls: list, cost });
  return [
    { finish: 'stop', text: true, calls: [], cost },
    { finish: 'stop', text: false, calls: [], cost },
    { finish: 'length', text: true, calls: [], cost },
    { finish: 'refusal', text: false, calls: [], cost },
    { finish: 'contentFilter', text: true, calls: [], cost },
    calls(call(0, 'run', 'readonly')),
    { ...calls(call(0, 'run', 'readonly')), cost: highCost },
    calls(call(0, 'run', 'unsafe')),
    calls(call(0, 'run', 'readonly'), call(1, 'run', 'readonly'), call(2, 'run', 'unsafe')),
    calls(call(0, 'ask', 'unsafe')),
    calls(call(0, 'ask', 'unsafe'), call(1, 'ask', 'unsafe')),
    calls(call(0, 'refuse', 'readonly')),
  ];
}

/** Every event worth trying in a state. */
export function runEvents(snapshot: AnyMachineSnapshot): RunEvent[] {
  return eventsToTry(snapshot, answers);
}

/** State plus the counters that guards look at, capped where a second round shows nothing new. */
export function runKey(snapshot: AnyMachineSnapshot): string {
  const c = snapshot.context as RunContext;
  const calls = c.pending
    .map(({ class: kind, state }) => `${kind[0]}${state === 'asking' ? 'q' : state[0]}`)
    .join('');
  const tight = [
    c.steps >= 8 ? 2 : Math.min(c.steps, 1),
    c.attempt,
    c.care,
    c.route,
    Math.min(c.empty, 6),
    c.unseen,
    c.errors,
    c.times,
    c.loss === 'history' ? 1 : 0,
    c.refused ? 1 : 0,
    c.tokensIn > 900 ? 1 : 0,
  ];
  const kinds = { unwanted: 'compacting:', unfit: 'unfit:', mends: 'mends:' };
  const kind = kinds as Record<string, string>;
  return `${kind[c.answer] ?? ''}${pathOf(snapshot.value)} ${calls} ${tight.join(',')}`;
}

/** What has nothing to do with whether an answer fits. */
const otherwiseTested: ReadonlySet<string> = new Set([
  'run.cancel',
  'run.faulted',
  'run.resumed',
  'effect.poisoned',
  'timer.deadline',
  'model.switched',
  'context.pruned',
  'subrun.parked',
  'tool.asked',
] satisfies RunEvent['type'][]);

/**
 * The events of a run with an output schema: what they change is whether its last answers fit, so of everything else there is
 * little. Calls, messages and compactions come between the answers.
 */
export function outputEvents(snapshot: AnyMachineSnapshot): RunEvent[] {
  const context = snapshot.context as RunContext;
  const path = pathOf(snapshot.value);
  const isOfInterest = (event: RunEvent) => {
    if (event.type === 'model.done')
      return event.cost === cost && (event.calls.length === 0 || event.calls[0]?.class === 'readonly');
    return !otherwiseTested.has(event.type);
  };
  const events = runEvents(snapshot).filter(isOfInterest);
  if (path !== 'active.working.thinking.requesting') return events;
  return events.flatMap((event) => {
    if (event.type !== 'model.done' || event.finish !== 'stop') return [event];
    const judged = (fits: boolean) => ({ ...event, fits });
    // More empty answers in a row than two would only multiply the paths.
    if (!event.text) return context.empty < 2 || context.steps === context.empty ? [judged(false)] : [];
    return [judged(true), judged(false)];
  });
}

/** What identifies an edge: the event without the ids that count up. */
export function runEventKey(event: RunEvent): string {
  const {
    at: _at,
    effectId: _effectId,
    callId,
    calls,
    ...rest
  } = event as RunEvent & {
    effectId?: number;
    callId?: number;
    calls?: AnswerCall[];
  };
  return JSON.stringify({
    ...rest,
    ...(callId && { callId }),
    ...(calls && { calls: calls.map((call) => call.gate + call.class) }),
  });
}

/** The input of a run, and whether its host has an output schema for it. */
export interface PathInput extends RunInput {
  hasOutput?: true;
}

export interface RunPath extends TransitionPath<RunEvent> {
  input: PathInput;
}

/**
 * A path for every transition of the graph, counters included; for those of a run that is only to compact, and of one
 * with an output schema.
 */
export function graphPaths(): RunPath[] {
  return [
    ...pathsFrom({ limits: graphLimits }, runEvents),
    ...pathsFrom(compaction, compactionEvents),
    ...pathsFrom({ limits: graphLimits, hasOutput: true }, outputEvents).filter(isJudged),
  ];
}

/** Without an answer that was judged, a run with an output schema is like all others. */
function isJudged({ events }: Pick<RunPath, 'events'>): boolean {
  return events.some((event) => event.type === 'model.done' && event.fits !== undefined);
}

const compaction: RunInput = { limits: graphLimits, only: 'compact' };

/** After its first message such a run is like all others. */
function compactionEvents(snapshot: AnyMachineSnapshot): RunEvent[] {
  return (snapshot.context as RunContext).answer === 'unwanted' ? runEvents(snapshot) : [];
}

function pathsFrom(input: PathInput, events: (snapshot: AnyMachineSnapshot) => RunEvent[]): RunPath[] {
  const paths = transitionPaths<RunEvent>(runMachine, {
    input,
    events,
    key: runKey,
    eventKey: runEventKey,
  });
  return paths.map((path) => ({ ...path, input }));
}

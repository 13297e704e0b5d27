import type { AnyMachineSnapshot } from 'xstate';
import { idsAtWork, idsIn } from '../../machines/calls.rules.ts';
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

const cost = { inputTokens: 10, outputTokens: 5, costUsd: 0 };
/** Uses up the token limit at once. */
const highCost = { inputTokens: 900, outputTokens: 200, costUsd: 0 };
export const failure = { code: 'X', message: 'scripted', retryable: false };

/** The answers tried in `requesting`: one for each branch that an answer can take. */
function answers(
  next: number,
): Pick<Extract<RunEvent, { type: 'model.done' }>, 'finish' | 'text' | 'calls' | 'cost'>[] {
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

/**
 * Facts that send a call back to where it was, with one counter changed. They are tried in the first step alone: later
 * ones would only multiply the paths.
 */
function detours(context: RunContext): object[] {
  if (context.steps > 0 || context.empty > 0 || context.attempt > 1) return [];
  const { care, route, unseen } = context;
  const error = { ...failure, retryable: true };
  const none = { inputTokens: 0, outputTokens: 0, costUsd: 0 };
  return [
    ...(care < 2 && route === 0 ? [{ type: 'context.pruned', results: 1, tokens: 900, saved: 500 }] : []),
    ...(care + unseen === 0 ? [{ type: 'model.switched', from: 'a/a', to: 'b/b', error, cost: none }] : []),
  ];
}

/** Every event worth trying in a state, with the ids that it needs. */
export function runEvents(snapshot: AnyMachineSnapshot): RunEvent[] {
  const context = snapshot.context as RunContext;
  const at = 0;
  const path = pathOf(snapshot.value);
  const commands: RunEvent[] = [
    { type: 'run.cancel', at },
    { type: 'run.faulted', at, code: 'FAULT', message: 'scripted' },
  ];
  if (context.unseen < 1) commands.push({ type: 'run.message', at });
  if (path === 'idle') return [...commands, { type: 'run.start', at }, { type: 'timer.queue', at }];
  if (path === 'active.awaitingConfirm') {
    const decide = (calls: number[], verdicts: readonly ('approve' | 'reject' | 'modify')[]) =>
      calls.flatMap((callId) =>
        verdicts.map((verdict) => ({ type: 'confirm.decide', at, callId, verdict }) as const),
      );
    const [atWork] = idsAtWork(context);
    return [
      ...commands,
      ...decide(idsIn(context, 'asked'), ['approve', 'reject', 'modify']),
      // To the machine an answer is a change.
      ...decide(idsIn(context, 'asking'), ['reject', 'modify']),
      ...callFacts(context),
      ...questions(context),
      ...parkings(context),
      ...(idsIn(context, 'parked').length > 0 ? [{ type: 'run.resumed', at, lastAt: at } as const] : []),
      ...(atWork === undefined ? [] : [{ type: 'effect.poisoned', at, effectId: atWork } as const]),
      { type: 'timer.confirm', at },
    ];
  }
  if (path === 'active.reconciling') {
    const words = idsIn(context, 'uncertain').flatMap((callId) =>
      (['ran', 'retry', 'skip'] as const).map(
        (verdict) => ({ type: 'tool.reconcile', at, callId, verdict }) as const,
      ),
    );
    return [...commands, ...words, { type: 'timer.reconcile', at }];
  }
  const working: RunEvent[] = [
    ...commands,
    { type: 'timer.deadline', at },
    { type: 'run.resumed', at, lastAt: at },
  ];
  const effectId = context.awaiting ?? 0;
  const started = idsIn(context, 'started');
  const poisonable = context.awaiting ?? started[0];
  if (poisonable !== undefined) working.push({ type: 'effect.poisoned', at, effectId: poisonable });
  switch (path.split('.').at(-1)) {
    case 'requesting': {
      const failed = {
        type: 'model.failed',
        at,
        effectId,
        outcome: 'provider_error',
        delayMs: 1_000,
        cost,
      } as const;
      return [
        ...working,
        ...answers(context.effectCount + 1).map(
          (answer) => ({ type: 'model.done', at, effectId, ...answer }) as const,
        ),
        { ...failed, error: { ...failure, retryable: true }, partial: false },
        { ...failed, error: { ...failure, retryable: true }, partial: true },
        { ...failed, error: failure, partial: false },
        { type: 'context.tooBig', at, effectId, tokens: 1_000_000 },
        ...detours(context).map((detour) => ({ ...detour, at, effectId }) as RunEvent),
      ];
    }
    case 'backingOff':
      return [...working, { type: 'timer.backoff', at }];
    case 'flushing':
      return [
        ...working,
        { type: 'flush.done', at, effectId, cost },
        { type: 'flush.failed', at, effectId, error: failure, cost },
      ];
    case 'summarizing':
      return [
        ...working,
        { type: 'compact.done', at, effectId, cost },
        { type: 'compact.failed', at, effectId, error: { ...failure, code: 'SUMMARY_REJECTED' }, cost },
      ];
    default:
      return [...working, ...callFacts(context), ...questions(context), ...parkings(context)];
  }
}

function callFacts(context: RunContext): RunEvent[] {
  const at = 0;
  return idsAtWork(context).flatMap((id): RunEvent[] => {
    const kind = context.pending.find((call) => call.id === id)?.class ?? 'unsafe';
    // Calls of one class are calls of one tool with the same arguments, so they have one key.
    return [
      { type: 'tool.done', at, effectId: id, key: kind },
      { type: 'tool.failed', at, effectId: id, code: 'TOOL_FAILED', key: kind },
      ...(kind === 'unsafe' ? [{ type: 'tool.uncertain', at, effectId: id } as const] : []),
    ];
  });
}

/** What calls at work may ask: tried in a first step that nothing has happened to, like {@link detours}. */
function questions(context: RunContext): RunEvent[] {
  if (!isFresh(context)) return [];
  return idsIn(context, 'started').map((callId) => ({ type: 'tool.asked', at: 0, callId }));
}

/** What sub-runs may do to calls at work: tried where questions are. A call that is parked may go on anywhere. */
function parkings(context: RunContext): RunEvent[] {
  const events = (type: 'subrun.parked' | 'subrun.resumed', ids: number[]) =>
    ids.map((callId) => ({ type, at: 0, callId }));
  const parkable = isFresh(context) ? idsIn(context, 'started') : [];
  return [...events('subrun.parked', parkable), ...events('subrun.resumed', idsIn(context, 'parked'))];
}

function isFresh({ steps, empty, errors, care, route, attempt, unseen }: RunContext): boolean {
  return steps === 1 && empty + errors + care + route + attempt + unseen === 0;
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

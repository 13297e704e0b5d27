import type { AnyMachineSnapshot } from 'xstate';
import { idsAtWork, idsIn } from '../../../machines/calls.rules.ts';
import type { RunContext, RunEvent } from '../../../machines/run.types.ts';
import { pathOf } from '../../engine/machine.ts';

/** What a scripted call costs. */
export const scriptedCost = { inputTokens: 10, outputTokens: 5, costUsd: 0 };
export const scriptedFailure = { code: 'X', message: 'scripted', retryable: false };

/** An answer to try in `requesting`. */
export type Answer = Pick<
  Extract<RunEvent, { type: 'model.done' }>,
  'finish' | 'text' | 'fits' | 'calls' | 'cost'
>;

/**
 * Every event worth trying in a state of the run machine, with the ids that it needs.
 *
 * @param answers the answers of the model to try; the calls of one are numbered from `nextCall` on
 */
export function eventsToTry(
  snapshot: AnyMachineSnapshot,
  answers: (nextCall: number) => readonly Answer[],
): RunEvent[] {
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
        cost: scriptedCost,
      } as const;
      return [
        ...working,
        ...answers(context.effectCount + 1).map(
          (answer) => ({ type: 'model.done', at, effectId, ...answer }) as const,
        ),
        { ...failed, error: { ...scriptedFailure, retryable: true }, partial: false },
        { ...failed, error: { ...scriptedFailure, retryable: true }, partial: true },
        { ...failed, error: scriptedFailure, partial: false },
        { type: 'context.tooBig', at, effectId, tokens: 1_000_000 },
        ...detours(context).map((detour) => ({ ...detour, at, effectId }) as RunEvent),
      ];
    }
    case 'backingOff':
      return [...working, { type: 'timer.backoff', at }];
    case 'flushing':
      return [
        ...working,
        { type: 'flush.done', at, effectId, cost: scriptedCost },
        { type: 'flush.failed', at, effectId, error: scriptedFailure, cost: scriptedCost },
      ];
    case 'summarizing':
      return [
        ...working,
        { type: 'compact.done', at, effectId, cost: scriptedCost },
        {
          type: 'compact.failed',
          at,
          effectId,
          error: { ...scriptedFailure, code: 'SUMMARY_REJECTED' },
          cost: scriptedCost,
        },
      ];
    default:
      return [...working, ...callFacts(context), ...questions(context), ...parkings(context)];
  }
}

/**
 * Facts that send a call back to where it was, with one counter changed. They are tried in the first step alone: later
 * ones would only multiply the paths.
 */
function detours(context: RunContext): object[] {
  if (context.steps > 0 || context.empty > 0 || context.attempt > 1) return [];
  const { care, route, unseen } = context;
  const error = { ...scriptedFailure, retryable: true };
  const none = { inputTokens: 0, outputTokens: 0, costUsd: 0 };
  return [
    ...(care < 2 && route === 0 ? [{ type: 'context.pruned', results: 1, tokens: 900, saved: 500 }] : []),
    ...(care + unseen === 0 ? [{ type: 'model.switched', from: 'a/a', to: 'b/b', error, cost: none }] : []),
  ];
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

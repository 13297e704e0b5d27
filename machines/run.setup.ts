import { assign, setup } from 'xstate';
import {
  drop,
  type EventOf,
  idsAtWork,
  idsIn,
  isLastAskedCall,
  isLastQuestion,
  isStartedCall,
  markStarted,
} from './calls.rules.ts';
import { callActions, callGuards, changes, closeCalls, collections, ending } from './calls.setup.ts';
import { owned, owning } from './own-action.ts';
import type { EndingCode } from './run.endings.ts';
import * as rules from './run.rules.ts';
import type { RunContext, RunEvent, RunInput, RunOutput } from './run.types.ts';

/** The actions that the host performs: those of calls, and `effect.callModel|flush|compact`, which are work, too. */
const host = setup({
  types: {
    context: {} as RunContext,
    events: {} as RunEvent,
    input: {} as RunInput,
    output: {} as RunOutput,
  },
  actions: {
    ...callActions,
    /** `route`: how many models of the run's list to skip. `pruning`, `compaction`: whether the host may prune or compact. */
    'effect.callModel': (
      _,
      _params: { effectId: number; attempt: number; route: number; pruning: boolean; compaction: boolean },
    ) => {},
    'effect.flush': (_, _params: { effectId: number }) => {},
    'effect.compact': (_, _params: { effectId: number }) => {},
  },
});

const own = owning(host);

/** The run chart's actions and guards, by name. */
export const runSetup = host.extend({
  actions: {
    ...own.assignAll(changes),
    ...own.enqueueAll(collections),
    mintEffect: own.assign({
      effectCount: ({ context }) => context.effectCount + 1,
      awaiting: ({ context }) => context.effectCount + 1,
    }),
    beginAttempt: own.assign({ attempt: ({ context }) => context.attempt + 1 }),
    resetAttempts: own.assign({ attempt: 0 }),
    countMessage: own.assign(({ context }) => rules.countMessage(context)),
    seeMessages: own.assign({ unseen: 0 }),
    addCost: own.assign(({ context, event }) => rules.addCost(context, event)),
    noteAnswer: own.assign(({ context, event }) => rules.noteAnswer(context, event as EventOf<'model.done'>)),
    holdCalls: own.enqueueActions(({ event, enqueue }) => {
      const ids = rules.openCalls(event as EventOf<'model.done'>).map((call) => call.callId);
      if (ids.length > 0) enqueue({ type: 'effect.hold', params: { ids } });
    }),
    noteFailure: own.assign(({ event }) => {
      const { outcome, error } = event as EventOf<'model.failed'>;
      return { end: { outcome, error } };
    }),
    noteWait: own.assign(({ context, event }) => ({
      waitedMs: context.waitedMs + (event as EventOf<'model.failed'>).delayMs,
    })),
    passRoute: own.assign({ attempt: 0, route: ({ context }) => context.route + 1 }),
    noteNoModel: own.assign(({ event }) => {
      const { error } = event as EventOf<'model.switched'>;
      return { end: { outcome: 'provider_error', error } };
    }),
    notePruning: own.assign({ attempt: 0, care: ({ context }) => context.care + 1 }),
    noteOverflow: own.assign(({ event }) => rules.overflow(event as EventOf<'context.tooBig'>)),
    noteCompaction: own.assign(({ context }) => rules.noteCompaction(context)),
    giveUpCompaction: own.assign(({ context }) => rules.giveUpCompaction(context)),
    noteFailedCompaction: own.assign(({ event }) => {
      const { error, outcome = 'provider_error' } = event as EventOf<'compact.failed'>;
      return { end: { outcome, error } };
    }),
    loseMemory: own.assign({ loss: 'memory' }),
    startCalls: own.enqueueActions(({ context, enqueue }) => {
      const ids = rules.startable(context);
      enqueue.assign(markStarted(context, ids));
      for (const effectId of ids) enqueue({ type: 'effect.runTool', params: { effectId } });
    }),
    settleCall: own.assign(({ context, event }) =>
      rules.settleCall(context, event as EventOf<'tool.done' | 'tool.failed'>),
    ),
    withdrawQuestions: own.enqueueActions(({ context, enqueue }) => {
      const calls = idsIn(context, 'asking');
      if (calls.length === 0) return;
      enqueue.assign(markStarted(context, calls));
      enqueue({ type: 'question.close', params: { calls, code: 'SKIPPED' } });
    }),
    skipUnstarted: own.enqueueActions(({ context, enqueue }) => {
      const calls = idsIn(context, 'asked', 'ready');
      enqueue.assign(drop(context, calls));
      enqueue({ type: 'call.close', params: { calls, code: 'SKIPPED' } });
    }),
    closeOpen: own.enqueueActions(({ context, enqueue }) => {
      const { awaiting } = context;
      closeCalls({ context, enqueue }, [...(awaiting === null ? [] : [awaiting]), ...idsAtWork(context)]);
      enqueue.assign({ awaiting: null, pending: [] });
    }),
    complete: own.assign(({ context }) => {
      const degraded = context.loss !== null || context.answer === 'empty';
      return { end: { outcome: degraded ? 'completed_degraded' : 'completed', error: null } };
    }),
    fail: owned(assign<RunContext, RunEvent, Parameters<typeof fail>[1], RunEvent, never>(fail), {
      assignment: fail,
    }),
  },
  guards: {
    ...callGuards,
    isLastQuestion: ({ context, event }) => isLastQuestion(context, event),
    isLastAskedCall: ({ context, event }) => isLastAskedCall(context, event),
    hasParked: ({ context }) => idsIn(context, 'parked').length > 0,
    isAwaited: ({ context, event }) => rules.isAwaited(context, event),
    isOpenEffect: ({ context, event }) => rules.isAwaited(context, event) || isStartedCall(context, event),
    mayRetryModel: ({ context, event }) => rules.mayRetryModel(context, event),
    maySwitch: ({ context, event }) => rules.maySwitch(context, event),
    mayPrune: ({ context, event }) => rules.mayPrune(context, event),
    mayRetryCompaction: ({ context, event }) => rules.mayRetryCompaction(context, event),
    mayCompact: ({ context, event }) => rules.mayCompact(context, event),
    mayCut: ({ context, event }) => rules.mayCut(context, event),
    isCompaction: ({ context }) => context.answer === 'unwanted',
    isOnlyCompaction: ({ context, event }) =>
      context.answer === 'unwanted' && rules.isAwaited(context, event),
    hasFailed: ({ context }) => context.end !== null,
    isFiltered: ({ context }) => context.answer === 'contentFilter',
    isRefused: ({ context }) => context.answer === 'refusal',
    isSteered: ({ context }) => context.unseen > 0 && idsIn(context, 'asked', 'ready').length > 0,
    isBlockedByPolicy: ({ context }) => rules.isBlockedByPolicy(context),
    isTruncated: ({ context }) => rules.isTruncated(context),
    hasInvalidOutput: ({ context }) => rules.hasInvalidOutput(context),
    isAnswered: ({ context }) => rules.isAnswered(context),
    isLooping: ({ context }) => rules.isLooping(context),
    hasTooManyErrors: ({ context }) => rules.hasTooManyErrors(context),
    isOverSteps: ({ context }) => context.steps >= context.limits.steps,
    isOverBudget: ({ context }) => rules.isOverBudget(context),
  },
});

function fail(_: unknown, { code }: { code: EndingCode }): Partial<RunContext> {
  return ending(code);
}

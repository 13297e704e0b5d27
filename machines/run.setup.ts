import { assign, setup } from 'xstate';
import { owned, owning } from './own-action.ts';
import type { EndingCode } from './run.endings.ts';
import type { EventOf } from './run.rules.ts';
import * as rules from './run.rules.ts';
import type {
  CloseCode,
  QuestionCloseCode,
  RunContext,
  RunEvent,
  RunInput,
  RunOutput,
  RunTimerName,
} from './run.types.ts';

/**
 * The actions that the host performs. `effect.callModel|runTool|flush|compact` are work; the host answers each with a fact
 * that has its `effectId`. All others are rows that the host writes in the commit of the transition.
 */
const host = setup({
  types: {
    context: {} as RunContext,
    events: {} as RunEvent,
    input: {} as RunInput,
    output: {} as RunOutput,
  },
  actions: {
    /** `route`: how many models of the run's list to skip. `pruning`, `compaction`: whether the host may prune or compact. */
    'effect.callModel': (
      _,
      _params: { effectId: number; attempt: number; route: number; pruning: boolean; compaction: boolean },
    ) => {},
    'effect.runTool': (_, _params: { effectId: number }) => {},
    'effect.flush': (_, _params: { effectId: number }) => {},
    'effect.compact': (_, _params: { effectId: number }) => {},
    /** Stores the arguments of calls that wait for a person or for their turn. */
    'effect.hold': (_, _params: { ids: number[] }) => {},
    'effect.abort': (_, _params: { ids: number[] }) => {},
    'timer.set': (_, _params: { id: RunTimerName; event: `timer.${RunTimerName}`; delayMs: number }) => {},
    'timer.clear': (_, _params: { id: RunTimerName }) => {},
    /** `question`: asks the question in the event; the call keeps running. */
    'confirm.request': (_, _params: { kind: 'confirm' | 'question' | 'reconcile'; calls: number[] }) => {},
    /** Withdraws the questions of running calls, which continue without an answer. */
    'question.close': (_, _params: { calls: number[]; code: QuestionCloseCode }) => {},
    /** Writes the result of calls that will not run, or whose outcome a person decided. */
    'call.close': (_, _params: { calls: number[]; code: CloseCode }) => {},
  },
});

const own = owning(host);

/** The run chart's actions and guards, by name. */
export const runSetup = host.extend({
  actions: {
    startClock: own.assign({ since: ({ event }) => event.at }),
    stopClock: own.assign({ spentMs: ({ context, event }) => rules.workedMs(context, event.at) }),
    /** Time without a driver does not count as working time. */
    skipDowntime: own.assign(({ context, event }) => {
      const { at, lastAt } = event as EventOf<'run.resumed'>;
      return { spentMs: rules.workedMs(context, lastAt), since: at };
    }),
    parkCall: own.assign(({ context, event }) => rules.park(context, event as EventOf<'subrun.parked'>)),
    unparkCalls: own.assign(({ context, event }) =>
      rules.markStarted(context, rules.unparkedBy(context, event)),
    ),
    /** Sets the deadline again when a parked call resumes or ends. */
    resumeClock: own.enqueueActions(({ context, event, enqueue }) => {
      const calls = rules.unparkedBy(context, event);
      if (calls.length === 0) return;
      const change = {
        spentMs: rules.workedMs(context, event.at),
        since: event.at,
        ...rules.markStarted(context, calls),
      };
      enqueue.assign(change);
      enqueue({ type: 'timer.set', params: rules.deadline({ ...context, ...change }) });
    }),
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
      const { error } = event as EventOf<'compact.failed'>;
      return { end: { outcome: 'provider_error', error } };
    }),
    loseMemory: own.assign({ loss: 'memory' }),
    startCalls: own.enqueueActions(({ context, enqueue }) => {
      const ids = rules.startable(context);
      enqueue.assign(rules.markStarted(context, ids));
      for (const effectId of ids) enqueue({ type: 'effect.runTool', params: { effectId } });
    }),
    settleCall: own.assign(({ context, event }) =>
      rules.settleCall(context, event as EventOf<'tool.done' | 'tool.failed'>),
    ),
    noteQuestion: own.enqueueActions(({ context, event, enqueue }) => {
      const asked = event as EventOf<'tool.asked'>;
      enqueue.assign(rules.markAsking(context, asked));
      enqueue({ type: 'confirm.request', params: { kind: 'question', calls: [asked.callId] } });
    }),
    /** Closes the open question of a call that has ended. */
    dropQuestion: own.enqueueActions(({ context, event, enqueue }) => {
      const { effectId } = event as EventOf<'tool.done' | 'tool.failed'>;
      const calls = rules.idsIn(context, 'asking').filter((id) => id === effectId);
      if (calls.length > 0) enqueue({ type: 'question.close', params: { calls, code: 'CANCELLED' } });
    }),
    withdrawQuestions: own.enqueueActions(({ context, enqueue }) => {
      const calls = rules.idsIn(context, 'asking');
      if (calls.length === 0) return;
      enqueue.assign(rules.markStarted(context, calls));
      enqueue({ type: 'question.close', params: { calls, code: 'SKIPPED' } });
    }),
    markUncertain: own.assign(({ context, event }) =>
      rules.markUncertain(context, event as EventOf<'tool.uncertain'>),
    ),
    requestDecisions: own.enqueueActions(({ context, enqueue }) => {
      const calls = rules.idsIn(context, 'asked');
      if (calls.length > 0) enqueue({ type: 'confirm.request', params: { kind: 'confirm', calls } });
    }),
    requestReconciliation: own.enqueueActions(({ context, enqueue }) => {
      enqueue({
        type: 'confirm.request',
        params: { kind: 'reconcile', calls: rules.idsIn(context, 'uncertain') },
      });
    }),
    applyDecision: own.enqueueActions(({ context, event, enqueue }) => {
      const decision = event as EventOf<'confirm.decide'>;
      const { callId } = decision;
      // An asking call continues, answered or not; the result of its question says which.
      if (rules.idsIn(context, 'asking').includes(callId))
        return enqueue.assign(rules.markStarted(context, [callId]));
      if (decision.verdict === 'approve' || decision.verdict === 'modify')
        return enqueue.assign(rules.markReady(context, decision));
      // Anything else counts as a rejection, whatever the entry let through.
      enqueue.assign(rules.drop(context, [callId]));
      enqueue({ type: 'call.close', params: { calls: [callId], code: 'REJECTED_BY_USER' } });
    }),
    applyReconciliation: own.enqueueActions(({ context, event, enqueue }) => {
      const word = event as EventOf<'tool.reconcile'>;
      const { callId, verdict } = word;
      if (verdict === 'retry') return enqueue.assign(rules.markReady(context, word));
      enqueue.assign(rules.drop(context, [callId]));
      const code = verdict === 'ran' ? 'RECONCILED' : 'SKIPPED';
      enqueue({ type: 'call.close', params: { calls: [callId], code } });
    }),
    expireAsked: own.enqueueActions(({ context, enqueue }) => {
      const calls = rules.idsIn(context, 'asked');
      const asking = rules.idsIn(context, 'asking');
      enqueue.assign({
        pending: rules.drop({ ...context, ...rules.markStarted(context, asking) }, calls).pending,
      });
      if (calls.length > 0) enqueue({ type: 'call.close', params: { calls, code: 'EXPIRED' } });
      if (asking.length > 0) enqueue({ type: 'question.close', params: { calls: asking, code: 'EXPIRED' } });
    }),
    expireUncertain: own.enqueueActions(({ context, enqueue }) => {
      const calls = rules.idsIn(context, 'uncertain');
      enqueue.assign(rules.drop(context, calls));
      enqueue({ type: 'call.close', params: { calls, code: 'OUTCOME_UNKNOWN' } });
    }),
    skipUnstarted: own.enqueueActions(({ context, enqueue }) => {
      const calls = rules.idsIn(context, 'asked', 'ready');
      enqueue.assign(rules.drop(context, calls));
      enqueue({ type: 'call.close', params: { calls, code: 'SKIPPED' } });
    }),
    /** Aborts the effects in flight and gives every open call a result, so that a finished run has no unpaired call. */
    closeOpen: own.enqueueActions(({ context, enqueue }) => {
      const started = rules.idsAtWork(context);
      const inFlight = context.awaiting === null ? started : [context.awaiting, ...started];
      if (inFlight.length > 0) enqueue({ type: 'effect.abort', params: { ids: inFlight } });
      const close = (calls: number[], code: CloseCode) => {
        if (calls.length > 0) enqueue({ type: 'call.close', params: { calls, code } });
      };
      close(started, 'ABORTED');
      close(rules.idsIn(context, 'asked', 'ready'), 'CANCELLED');
      close(rules.idsIn(context, 'uncertain'), 'OUTCOME_UNKNOWN');
      enqueue.assign({ awaiting: null, pending: [] });
    }),
    complete: own.assign(({ context }) => {
      const degraded = context.loss !== null || context.answer === 'empty';
      return { end: { outcome: degraded ? 'completed_degraded' : 'completed', error: null } };
    }),
    fail: owned(assign<RunContext, RunEvent, Parameters<typeof fail>[1], RunEvent, never>(fail), {
      assignment: fail,
    }),
    noteFault: own.assign(({ event }) => {
      const { code, message } = event as EventOf<'run.faulted'>;
      return { end: { outcome: 'internal_error', error: { code, message, retryable: false } } };
    }),
    noteCancel: own.assign({ end: { outcome: 'cancelled', error: null } }),
  },
  guards: {
    isAwaited: ({ context, event }) => rules.isAwaited(context, event),
    isOpenEffect: ({ context, event }) =>
      rules.isAwaited(context, event) || rules.isStartedCall(context, event),
    isStartedCall: ({ context, event }) => rules.isStartedCall(context, event),
    isAskingCall: ({ context, event }) => rules.isAskingCall(context, event),
    isLastQuestion: ({ context, event }) => rules.isLastQuestion(context, event),
    mayPark: ({ context, event }) => rules.mayPark(context, event),
    isParkedCall: ({ context, event }) => rules.isParkedCall(context, event),
    hasParked: ({ context }) => rules.idsIn(context, 'parked').length > 0,
    isAskedCall: ({ context, event }) => rules.isAskedCall(context, event),
    isLastAskedCall: ({ context, event }) => rules.isLastAskedCall(context, event),
    isUncertainCall: ({ context, event }) => rules.isUncertainCall(context, event),
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
    takesMessages: ({ context }) => rules.takesMessages(context),
    hasMadeItsCall: ({ context }) => rules.hasMadeItsCall(context),
    isFiltered: ({ context }) => context.answer === 'contentFilter',
    isRefused: ({ context }) => context.answer === 'refusal',
    isSteered: ({ context }) => context.unseen > 0 && rules.idsIn(context, 'asked', 'ready').length > 0,
    hasAsked: ({ context }) => rules.idsAsked(context).length > 0,
    hasStarted: ({ context }) => rules.idsIn(context, 'started', 'parked').length > 0,
    hasUncertain: ({ context }) => rules.idsIn(context, 'uncertain').length > 0,
    hasReady: ({ context }) => rules.idsIn(context, 'ready').length > 0,
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
  return rules.ending(code);
}

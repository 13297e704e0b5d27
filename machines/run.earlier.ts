import { drop, type EventOf, idsIn, markReady, markStarted } from './calls.rules.ts';
import { owning } from './own-action.ts';
import { runMachine } from './run.machine.ts';
import { isAnswered, isBlockedByPolicy, mayRetryModel, noteAnswer } from './run.rules.ts';
import { runSetup } from './run.setup.ts';
import type { RunContext } from './run.types.ts';

const own = owning(runSetup);

/**
 * The run machine with what version 3 computed in another way, so that its logs fold as they were written: a run could make
 * one given call, which was all that it did. It drives no run: runs of earlier versions migrate to the newest version first.
 */
export const thirdRunMachine = runMachine.provide({
  actions: {
    noteAnswer: own.assign(({ context, event }) => ({
      ...noteAnswer(context, event as EventOf<'model.done'>),
      ...(isGiven(context) && { answer: 'given' }),
    })),
  },
  guards: {
    isBlockedByPolicy: ({ context }) => !isGiven(context) && isBlockedByPolicy(context),
    /** With its call such a run had done what it was to do. */
    isAnswered: ({ context }) => (isGiven(context) ? context.steps > 0 : isAnswered(context)),
  },
});

function isGiven({ answer }: RunContext): boolean {
  return answer === 'given';
}

/** The same for versions 1 and 2. */
export const earlierRunMachine = thirdRunMachine.provide({
  actions: {
    /** Every verdict but `reject` made a call ready. */
    applyDecision: own.enqueueActions(({ context, event, enqueue }) => {
      const decision = event as EventOf<'confirm.decide'>;
      const { callId, verdict } = decision;
      if (idsIn(context, 'asking').includes(callId)) return enqueue.assign(markStarted(context, [callId]));
      if (verdict !== 'reject') return enqueue.assign(markReady(context, decision));
      enqueue.assign(drop(context, [callId]));
      enqueue({ type: 'call.close', params: { calls: [callId], code: 'REJECTED_BY_USER' } });
    }),
  },
  guards: {
    /** Every verdict settled a call; an unknown one skipped it. */
    isUncertainCall: ({ context, event }) =>
      event.type === 'tool.reconcile' && idsIn(context, 'uncertain').includes(event.callId),
    /** A call whose answer had begun was not made again. */
    mayRetryModel: ({ context, event }) =>
      event.type === 'model.failed' && !event.partial && mayRetryModel(context, event),
  },
});

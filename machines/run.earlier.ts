import { owning } from './own-action.ts';
import { runMachine } from './run.machine.ts';
import { drop, type EventOf, idsIn, markReady, markStarted, mayRetryModel } from './run.rules.ts';
import { runSetup } from './run.setup.ts';

const own = owning(runSetup);

/**
 * The run machine with what versions 1 and 2 computed in another way, so that their logs fold as they were written. It
 * drives no run: runs of those versions migrate to the newest version first.
 */
export const earlierRunMachine = runMachine.provide({
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

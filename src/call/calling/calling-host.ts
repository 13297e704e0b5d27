import { type CallsContext, idsAsked, idsIn } from '../../../machines/calls.rules.ts';
import { confirmVerdicts, reconcileVerdicts } from '../../../machines/run.types.ts';
import type { EffectHandler, EngineEvent, HostCache, MachineHost } from '../../engine/machine.ts';
import { closeCalls, closeQuestions, requestConfirmations } from '../messages/close-calls.ts';
import { brokenCall, recoverCall, uncertain } from '../perform-call.ts';

/** What the hosts of an agent's run and of a single call have in common. */
export const callingHost = {
  startEvent: 'run.start',
  heldEffect: 'effect.runTool',
  resumed: (lastAt) => ({ type: 'run.resumed', lastAt }),
  poisoned: (effectId) => ({ type: 'effect.poisoned', effectId }),
  faulted: (code, message) => ({ type: 'run.faulted', code, message }),
  isParked: (snapshot) => snapshot.value === 'idle' || snapshot.hasTag('waiting'),
  rows: {
    'confirm.request': requestConfirmations,
    'question.close': closeQuestions,
    'call.close': closeCalls,
  },
} satisfies Partial<MachineHost>;

/** The effect of a call. */
export function callEffect<
  Run extends { context: Pick<CallsContext, 'pending'>; options: unknown; cache: HostCache | null },
>(perform: EffectHandler<Run>['perform']): EffectHandler<Run> {
  return {
    recover: (effect, context) => recoverCall(effect.n, context),
    perform,
    failed: brokenCall,
    uncertain,
  };
}

/** The decisions that people may make on the calls of a run. */
export function decisionsOn(context: Pick<CallsContext, 'pending'>): EngineEvent[] {
  const decisions = confirmVerdicts.flatMap((verdict) =>
    idsAsked(context).map((callId) => ({ type: 'confirm.decide', callId, verdict })),
  );
  const words = reconcileVerdicts.flatMap((verdict) =>
    idsIn(context, 'uncertain').map((callId) => ({ type: 'tool.reconcile', callId, verdict })),
  );
  return [...decisions, ...words];
}

import { callMachine, callMachineVersion } from '../../machines/call.machine.ts';
import { type CallsContext, idsAsked, idsIn } from '../../machines/calls.rules.ts';
import { confirmVerdicts, reconcileVerdicts } from '../../machines/run.types.ts';
import {
  type EffectHandler,
  type EngineEvent,
  type Fact,
  type HostCache,
  type MachineHost,
  PureMachine,
} from '../engine/machine.ts';
import type { CallOptions } from '../store/run-options.ts';
import { callMachineId } from '../store/stored-run.ts';
import { type CallServices, withChartQuestion } from './decide-call.ts';
import { closeCalls, closeQuestions, requestConfirmations } from './messages/close-calls.ts';
import { brokenCall, performCall, recoverCall, uncertain } from './perform-call.ts';

/** The types of runs of one call, for the engine. */
interface OneCall {
  context: CallsContext;
  options: CallOptions;
  cache: null;
}

export interface CallHostParts extends Omit<CallServices, 'toolbox' | 'workspace'> {
  /** Of a tenant. */
  partsOf(tenant: number): Promise<Pick<CallServices, 'toolbox' | 'workspace'>>;
}

/** The call machine's host: performs its effect and writes its rows. */
export function createCallHost({ partsOf, ...shared }: CallHostParts): MachineHost<OneCall> {
  const perform: EffectHandler<OneCall>['perform'] = async (job) => {
    const { toolbox, workspace } = await partsOf(job.run.tenant);
    const { ask } = job.options;
    const services = { ...shared, workspace, toolbox: ask ? withChartQuestion(toolbox, ask) : toolbox };
    const notes = { hooks: [] };
    const fact = await performCall(services, { ...job, notes });
    return notes.hooks.length > 0 ? withHooks(fact, notes) : fact;
  };
  return {
    ...callingHost,
    id: callMachineId,
    version: callMachineVersion,
    machine: new PureMachine(callMachine),
    awaited: ({ pending }) => pending.map(({ id }) => id),
    commands: new Set(['run.cancel', 'confirm.decide', 'tool.reconcile']),
    countsTime: (snapshot) =>
      snapshot.matches('executing') && idsIn(snapshot.context as CallsContext, 'parked').length === 0,
    possibleCommands: (context) => [{ type: 'run.cancel' }, ...decisionsOn(context)],
    newCache: () => null,
    effects: { 'effect.runTool': callEffect(perform) },
    *aborting() {},
  };
}

function withHooks(fact: Fact, notes: { hooks: unknown[] }): Fact {
  return { ...fact, event: { ...fact.event, ...notes } };
}

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

export {
  type CallServices,
  type DecidedCall,
  decidedCall,
  policyContext,
  withChartQuestion,
} from './decide-call.ts';
export { performCall } from './perform-call.ts';

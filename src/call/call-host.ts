import { callMachine, callMachineVersion } from '../../machines/call.machine.ts';
import { type CallsContext, idsIn } from '../../machines/calls.rules.ts';
import { type EffectHandler, type Fact, type MachineHost, PureMachine } from '../engine/machine.ts';
import type { CallOptions } from '../store/run-options.ts';
import { callMachineId } from '../store/stored-run.ts';
import { callEffect, callingHost, decisionsOn } from './calling/calling-host.ts';
import { type CallServices, withChartQuestion } from './decide-call.ts';
import { performCall } from './perform-call.ts';

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

export { callEffect, callingHost, decisionsOn } from './calling/calling-host.ts';
export {
  type CallServices,
  type DecidedCall,
  decidedCall,
  policyContext,
  withChartQuestion,
} from './decide-call.ts';
export { performCall } from './perform-call.ts';

import { assign, setup } from 'xstate';
import type { CallsContext, EventOf } from './calls.rules.ts';
import * as rules from './calls.rules.ts';
import { callActions, callGuards, changes, closeCalls, collections, ending } from './calls.setup.ts';
import { owned, owning } from './own-action.ts';
import type { EndingCode } from './run.endings.ts';
import type { AnswerCall, RunEvent, RunLimits, RunOutput } from './run.types.ts';

export interface OneCallInput {
  limits: Pick<RunLimits, 'queueMs' | 'workMs' | 'confirmMs' | 'reconcileMs'>;
  /** Policy's decision on the call. */
  call: Pick<AnswerCall, 'gate' | 'class'>;
}

/** Those of a run that have to do with its calls. */
type CallEvent = Extract<
  RunEvent,
  {
    type:
      | `run.${'start' | 'cancel' | 'resumed' | 'faulted'}`
      | 'confirm.decide'
      | `tool.${'reconcile' | 'done' | 'failed' | 'uncertain' | 'asked'}`
      | `subrun.${'parked' | 'resumed'}`
      | 'effect.poisoned'
      | `timer.${string}`;
  }
>;

const host = setup({
  types: {
    context: {} as CallsContext,
    events: {} as CallEvent,
    input: {} as OneCallInput,
    output: {} as RunOutput,
  },
  actions: callActions,
});

const own = owning(host);

/** The actions and guards of the chart of one call, by name. */
export const callSetup = host.extend({
  actions: {
    ...own.assignAll(changes),
    ...own.enqueueAll(collections),
    /** The call waits for its turn or for a person, with the arguments that it came with. */
    holdCall: own.enqueueActions(({ context, enqueue }) => {
      const ids = context.pending.map(({ id }) => id);
      if (ids.length > 0) enqueue({ type: 'effect.hold', params: { ids } });
    }),
    startCall: own.enqueueActions(({ context, enqueue }) => {
      const ids = rules.idsIn(context, 'ready');
      enqueue.assign(rules.markStarted(context, ids));
      for (const effectId of ids) enqueue({ type: 'effect.runTool', params: { effectId } });
    }),
    addCost: own.assign(({ context, event }) => rules.addCost(context, event)),
    settleCall: own.assign(({ context, event }) =>
      rules.drop(context, [(event as EventOf<'tool.done' | 'tool.failed'>).effectId]),
    ),
    closeOpen: own.enqueueActions(({ context, enqueue }) => {
      closeCalls({ context, enqueue });
      enqueue.assign({ pending: [] });
    }),
    complete: own.assign({ end: { outcome: 'completed', error: null } }),
    fail: owned(assign<CallsContext, CallEvent, Parameters<typeof fail>[1], CallEvent, never>(fail), {
      assignment: fail,
    }),
  },
  guards: callGuards,
});

function fail(_: unknown, { code }: { code: EndingCode }): Partial<CallsContext> {
  return ending(code);
}

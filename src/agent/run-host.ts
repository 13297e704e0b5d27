import { idsIn } from '../../machines/calls.rules.ts';
import { earlierRunMachine, thirdRunMachine } from '../../machines/run.earlier.ts';
import { runMachine, runMachineVersion } from '../../machines/run.machine.ts';
import type { RunContext } from '../../machines/run.types.ts';
import { callEffect, callingHost, decisionsOn, performCall } from '../call/call-host.ts';
import { type Fact, type MachineHost, PureMachine } from '../engine/machine.ts';
import { messageOf } from '../protocol/error.ts';
import { compact, compactFailed } from './compaction/compact.ts';
import { type flush, flushFailed, keepsNothing } from './compaction/flush.ts';
import { type AgentRun, newNotes, newRunCache, type RunEffect, type RunJob } from './effect/run-effect.ts';
import { ask } from './effect/statements.ts';
import { keepPartialAnswer, think } from './model-call/call-model.ts';
import { checkAddress } from './model-call/check-address.ts';
import { type AgentParts, type AgentServices, newServices, servicesFor } from './services.ts';
import { addFollowed } from './skills/followed.ts';
import { withSkills } from './skills/skill-calls.ts';
import { releaseHolds } from './usage/budgets.ts';
import { usedBy, writeCalls } from './usage/ledger.ts';

/**
 * The run machine's host: performs its effects and writes its rows.
 *
 * @param flushing what a conversation leaves in memory before a compaction; by default nothing
 */
export function createRunHost(
  parts: AgentParts,
  flushing: typeof flush = keepsNothing,
): MachineHost<AgentRun> {
  const services = newServices(parts);
  /** An effect that calls models, paid from the run's shared budget. */
  const askingModels =
    (act: (services: AgentServices, effect: RunEffect) => Promise<Fact>) =>
    async (job: RunJob): Promise<Fact> => {
      const { budget = null } = job.options;
      const effect = { ...job, notes: newNotes(budget) };
      try {
        return noted(effect, await act(await servicesFor(services, job), effect));
      } catch (error) {
        // The fact of a thrown error does not name the call.
        if (budget)
          await services.store.commit(() => ask('deleteHold', { run: job.run.pk, n: job.effectId }));
        throw error;
      }
    };
  const runTool = async (job: RunJob): Promise<Fact> => {
    const effect = { ...job, notes: newNotes() };
    return noted(effect, await performCall(withSkills(await servicesFor(services, job), effect), effect));
  };
  return {
    ...callingHost,
    id: 'run',
    version: runMachineVersion,
    machine: new PureMachine(runMachine),
    migrate: [
      // Version 1 postponed a parked run's deadline only in its row; the driver's run.resumed sets it again.
      { from: 1, snapshot: (old) => old },
      // Runs of version 2 have no output schema, so their states and contexts mean the same in version 3.
      { from: 2, snapshot: (old) => old },
      // In version 3 a run could make one given call. From that call on, it is like a run with a complete last answer.
      {
        from: 3,
        snapshot: ({ value, context }) => ({ value, context: withoutGiven(context as RunContext) }),
      },
    ],
    checkTakeover: (row) => checkAddress(services.models, row),
    awaited,
    commands: new Set(['run.message', 'run.cancel', 'confirm.decide', 'tool.reconcile']),
    // The run's clock stands still while a call is parked, and a client that got the request again would perform the
    // call twice.
    countsTime: (snapshot) =>
      snapshot.matches({ active: 'working' }) && idsIn(snapshot.context as RunContext, 'parked').length === 0,
    possibleCommands: (context) => [{ type: 'run.message' }, { type: 'run.cancel' }, ...decisionsOn(context)],
    newCache: () => ({ ...newRunCache(), written: [] }),
    effects: {
      'effect.callModel': {
        recover: () => 'perform',
        perform: askingModels(think),
        failed: brokenModelCall,
      },
      'effect.runTool': callEffect(runTool),
      'effect.flush': {
        recover: () => 'perform',
        perform: askingModels(flushing),
        failed: flushFailed,
      },
      'effect.compact': {
        recover: () => 'perform',
        perform: askingModels(compact),
        failed: compactFailed,
      },
    },
    *aborting(effects, scope) {
      yield* keepPartialAnswer(services, scope, effects);
      yield* releaseHolds(scope);
    },
  };
}

/** Adds an effect's notes to its fact: the event gets what a replay needs, the rows get the cost. */
function noted({ effectId, notes, cache }: RunEffect, fact: Fact): Fact {
  const { calls, budget, hooks, skillChoice } = notes;
  const loadedSkill = fact.event.type === 'tool.done' ? notes.loadedSkill : null;
  if (loadedSkill) addFollowed(cache, loadedSkill);
  const event = {
    ...fact.event,
    ...(skillChoice && { skills: skillChoice }),
    ...(loadedSkill && { skill: loadedSkill }),
    ...(hooks.length > 0 && { hooks }),
    // Otherwise the message that it writes has the usage.
    ...(calls.length > 0 && !fact.writes && { usage: usedBy(calls) }),
  };
  if (calls.length === 0 && !budget) return { ...fact, event };
  return {
    ...fact,
    event,
    *writes(scope) {
      if (fact.writes) yield* fact.writes(scope);
      yield* writeCalls(scope, effectId, notes);
    },
  };
}

function withoutGiven(context: RunContext): RunContext {
  return context.answer === 'given' && context.steps > 0 ? { ...context, answer: 'text' } : context;
}

/**
 * All versions of the run machine in this program. Runs of earlier versions migrate to the newest. Their own versions fold
 * what is in the logs, such as those of runs that have ended. One machine does that for versions 1 and 2, since version 2
 * handled every event of version 1 in the same way.
 */
export function runVersions(newest: MachineHost): MachineHost[] {
  const earlier = [thirdRunMachine, earlierRunMachine, earlierRunMachine].map((machine, i) => {
    const version = runMachineVersion - 1 - i;
    const migrate = (newest.migrate ?? []).filter(({ from }) => from < version);
    return { ...newest, version, machine: new PureMachine(machine), migrate };
  });
  return [newest, ...earlier];
}

function brokenModelCall(effectId: number, error: unknown) {
  return {
    event: {
      type: 'model.failed',
      effectId,
      error: { code: 'INTERNAL', message: messageOf(error), retryable: false },
      outcome: 'internal_error',
      partial: false,
      delayMs: 0,
      cost: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
    },
  };
}

function awaited(context: RunContext): number[] {
  return [...(context.awaiting === null ? [] : [context.awaiting]), ...context.pending.map(({ id }) => id)];
}

export { flush } from './compaction/flush.ts';
export { AnswerCache } from './effect/answer-cache.ts';
export { declareBudget, periodOf } from './usage/budgets.ts';

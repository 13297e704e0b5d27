import { earlierRunMachine } from '../../machines/run.earlier.ts';
import { runMachine, runMachineVersion } from '../../machines/run.machine.ts';
import { idsAsked, idsIn } from '../../machines/run.rules.ts';
import { confirmVerdicts, type RunContext, reconcileVerdicts } from '../../machines/run.types.ts';
import { approvalNow } from '../call/approval.ts';
import { closeCalls, closeQuestions, requestConfirmations } from '../call/close-calls.ts';
import { brokenCall, performCall, recoverCall, uncertain } from '../call/perform-call.ts';
import type { EngineEvent, Fact, MachineHost } from '../engine/machine-host.ts';
import { PureMachine } from '../engine/pure-machine.ts';
import { TokenWeights } from '../ports/tokens.ts';
import { messageOf } from '../protocol/error.ts';
import { defaultTenant } from '../protocol/tenant.ts';
import type { RunRow } from '../store/rows.ts';
import { compact, compactFailed } from './compaction/compact.ts';
import { flush, flushFailed } from './compaction/flush.ts';
import { think } from './model-call/call-model.ts';
import { checkAddress } from './model-call/check-address.ts';
import { keepPartialAnswer, PartialAnswers } from './model-call/partial-answers.ts';
import { type AgentRun, newNotes, newRunCache, type RunEffect, type RunJob } from './run-effect.ts';
import type { AgentParts, AgentServices } from './services.ts';
import { addFollowed } from './skills/followed.ts';
import { withSkills } from './skills/skill-calls.ts';
import { ask } from './statements.ts';
import { releaseHolds } from './usage/budgets.ts';
import { writeCalls } from './usage/ledger.ts';

/** The run machine's host: performs its effects and writes its rows. */
export function createRunHost(parts: AgentParts): MachineHost<AgentRun> {
  const services: AgentServices = { ...parts, calibrations: new Map(), weights: new TokenWeights() };
  const partials = new PartialAnswers();
  /** With the tools of the run's caller, or with the question of a chart. */
  const servicesFor = async ({ run, options }: RunJob): Promise<AgentServices> => {
    const own = await servicesOf(run);
    const { clientTools, ask: asked } = options;
    if (asked) return { ...own, toolbox: own.withChartQuestion(own.toolbox, asked) };
    return clientTools ? { ...own, toolbox: own.withClientTools(own.toolbox, clientTools) } : own;
  };
  /** With the workspace and the tools of the run's tenant. */
  const servicesOf = async ({ tenant }: RunRow): Promise<AgentServices> => {
    if (tenant === defaultTenant) return services;
    const { workspace, memoryFolder, toolbox, skills } = await services.partsOf(tenant);
    const { skills: _, ...shared } = services;
    return { ...shared, workspace, memoryFolder, toolbox, ...(skills && { skills }) };
  };
  /** An effect that calls models, paid from the run's shared budget. */
  const askModels = async (
    job: RunJob,
    act: (services: AgentServices, effect: RunEffect) => Promise<Fact>,
  ): Promise<Fact> => {
    const { budget = null } = job.options;
    const effect = { ...job, notes: newNotes(budget) };
    try {
      return noted(effect, await act(await servicesFor(job), effect));
    } catch (error) {
      // The fact of a thrown error does not name the call.
      if (budget) await services.store.commit(() => ask('deleteHold', { run: job.run.pk, n: job.effectId }));
      throw error;
    }
  };
  const runTool = async (job: RunJob): Promise<Fact> => {
    const approval = await approvalNow(services.store, job.run, job.options);
    const { approveGiven: _, ...options } = job.options;
    const effect = { ...job, options: { ...options, ...approval }, notes: newNotes() };
    return noted(effect, await performCall(withSkills(await servicesFor(job), effect), effect));
  };
  return {
    id: 'run',
    version: runMachineVersion,
    machine: new PureMachine(runMachine),
    migrate: [
      // Version 1 postponed a parked run's deadline only in its row; the driver's run.resumed sets it again.
      { from: 1, snapshot: (old) => old },
      // Runs of version 2 have no output schema, so their states and contexts mean the same in version 3.
      { from: 2, snapshot: (old) => old },
    ],
    checkTakeover: (row) => checkAddress(services.models, row),
    awaited,
    commands: new Set(['run.message', 'run.cancel', 'confirm.decide', 'tool.reconcile']),
    startEvent: 'run.start',
    heldEffect: 'effect.runTool',
    resumed: (lastAt) => ({ type: 'run.resumed', lastAt }),
    // While a call is parked the clock of the run stands still, and whoever is told anew would perform the call again.
    countsTime: (snapshot) =>
      snapshot.matches({ active: 'working' }) && idsIn(snapshot.context as RunContext, 'parked').length === 0,
    poisoned: (effectId) => ({ type: 'effect.poisoned', effectId }),
    faulted: (code, message) => ({ type: 'run.faulted', code, message }),
    possibleCommands,
    newCache: newRunCache,
    isParked: (snapshot) => snapshot.hasTag('waiting') || snapshot.matches('idle'),
    effects: {
      'effect.callModel': {
        recover: () => 'perform',
        perform: (job) => askModels(job, (own, effect) => think(own, partials, effect)),
        failed: brokenModelCall,
      },
      'effect.runTool': {
        recover: (effect, context) => recoverCall(effect.n, context),
        perform: runTool,
        failed: brokenCall,
        uncertain,
      },
      'effect.flush': {
        recover: () => 'perform',
        perform: (job) => askModels(job, flush),
        failed: flushFailed,
      },
      'effect.compact': {
        recover: () => 'perform',
        perform: (job) => askModels(job, compact),
        failed: compactFailed,
      },
    },
    rows: {
      'confirm.request': requestConfirmations,
      'question.close': closeQuestions,
      'call.close': closeCalls,
    },
    *aborting(effects, scope) {
      yield* keepPartialAnswer(partials, scope, effects);
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

/**
 * All versions of the run machine in this program. Runs of versions 1 and 2 migrate to the newest. Their own versions fold
 * what is in the logs, such as those of runs that have ended. One machine does that for both, since version 2 handled
 * every event of version 1 in the same way.
 */
export function runVersions(newest: MachineHost): MachineHost[] {
  const machine = new PureMachine(earlierRunMachine);
  const earlier = [2, 1].map((version) => {
    const migrate = (newest.migrate ?? []).filter(({ from }) => from < version);
    return { ...newest, version, machine, migrate };
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

function possibleCommands(context: RunContext): EngineEvent[] {
  const decisions = confirmVerdicts.flatMap((verdict) =>
    idsAsked(context).map((callId) => ({ type: 'confirm.decide', callId, verdict })),
  );
  const words = reconcileVerdicts.flatMap((verdict) =>
    idsIn(context, 'uncertain').map((callId) => ({ type: 'tool.reconcile', callId, verdict })),
  );
  return [{ type: 'run.message' }, { type: 'run.cancel' }, ...decisions, ...words];
}

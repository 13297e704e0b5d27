import { runMachine, runMachineVersion } from '../../machines/run.machine.ts';
import { idsAsked, idsIn } from '../../machines/run.rules.ts';
import type { RunContext } from '../../machines/run.types.ts';
import type { EngineEvent, MachineHost } from '../engine/machine-host.ts';
import { messageOf } from '../protocol/error.ts';
import { compact, compactFailed } from './compaction/compact.ts';
import { flush, flushFailed } from './compaction/flush.ts';
import { withHookRecords } from './hooks/run-hooks.ts';
import { think } from './model-call/call-model.ts';
import { PartialAnswers } from './model-call/partial-answers.ts';
import type { AgentServices } from './services.ts';
import { withSkills } from './skills/skill-calls.ts';
import { withSkillChoice } from './skills/skill-choice.ts';
import {
  closeCalls,
  closeQuestions,
  keepPartialAnswer,
  requestConfirmations,
} from './tool-call/close-calls.ts';
import { act, brokenCall, recoverCall, uncertain } from './tool-call/run-tool.ts';
import { releaseHolds } from './usage/budgets.ts';
import { withLedger } from './usage/ledger.ts';

/** The run machine with everything that performs its effects and writes its rows. */
export function createRunHost(services: AgentServices): MachineHost {
  const partials = new PartialAnswers();
  return {
    id: 'run',
    version: runMachineVersion,
    machine: runMachine,
    awaited,
    commands: new Set(['run.message', 'run.cancel', 'confirm.decide', 'tool.reconcile']),
    startEvent: 'run.start',
    heldEffect: 'effect.runTool',
    resumed: (lastAt) => ({ type: 'run.resumed', lastAt }),
    poisoned: (effectId) => ({ type: 'effect.poisoned', effectId }),
    faulted: (code, message) => ({ type: 'run.faulted', code, message }),
    possibleCommands,
    isParked: (snapshot) => snapshot.hasTag('waiting') || snapshot.matches('idle'),
    effects: {
      'effect.callModel': {
        recover: () => 'perform',
        perform: (job) =>
          withHookRecords(job, () =>
            withSkillChoice(job, () => withLedger(services, job, () => think(services, partials, job))),
          ),
        failed: brokenModelCall,
      },
      'effect.runTool': {
        recover: (effect, context) => recoverCall(effect.n, context as RunContext),
        perform: (job) => withHookRecords(job, () => withSkills(services, job, (bound) => act(bound, job))),
        failed: brokenCall,
        uncertain,
      },
      'effect.flush': {
        recover: () => 'perform',
        perform: (job) => withHookRecords(job, () => withLedger(services, job, () => flush(services, job))),
        failed: flushFailed,
      },
      'effect.compact': {
        recover: () => 'perform',
        perform: (job) => withHookRecords(job, () => withLedger(services, job, () => compact(services, job))),
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

function awaited(machineContext: unknown): number[] {
  const context = machineContext as RunContext;
  return [...(context.awaiting === null ? [] : [context.awaiting]), ...context.pending.map(({ id }) => id)];
}

function possibleCommands(machineContext: unknown): EngineEvent[] {
  const context = machineContext as RunContext;
  const decisions = (['approve', 'reject', 'modify'] as const).flatMap((verdict) =>
    idsAsked(context).map((callId) => ({ type: 'confirm.decide', callId, verdict })),
  );
  const words = (['ran', 'retry', 'skip'] as const).flatMap((verdict) =>
    idsIn(context, 'uncertain').map((callId) => ({ type: 'tool.reconcile', callId, verdict })),
  );
  return [{ type: 'run.message' }, { type: 'run.cancel' }, ...decisions, ...words];
}

import { callSetup } from './call.setup.ts';
import * as rules from './calls.rules.ts';
import { onlyCall } from './run.types.ts';

/** Stored with every run of a call. Raise it with any change of states, effects or context. */
export const callMachineVersion = 1;

/** The call has ended, whatever came of it. */
const ended = {
  guard: 'isStartedCall',
  target: 'deciding',
  actions: ['addCost', 'dropQuestion', 'settleCall'],
} as const;

const uncertain = { guard: 'isStartedCall', target: 'deciding', actions: 'markUncertain' } as const;

const poisoned = {
  guard: 'isStartedCall',
  target: 'failed',
  actions: [{ type: 'fail', params: { code: 'POISONED' } }, 'closeOpen'],
} as const;

/**
 * One call of a tool, or one question to a person, that no model asks for: what can happen, and when. Policy has decided on
 * it before the run begins.
 *
 * Pure: it imports only xstate; time and ids arrive in events. It requests work through named actions with JSON params.
 */
export const callMachine = callSetup.createMachine({
  id: 'call',
  context: ({ input: { limits, call } }) => ({
    pending:
      call.gate === 'refuse'
        ? []
        : [{ id: onlyCall, class: call.class, state: call.gate === 'ask' ? 'asked' : 'ready' }],
    tokensIn: 0,
    tokensOut: 0,
    costUsd: 0,
    spentMs: 0,
    since: 0,
    end: null,
    limits: { workMs: limits.workMs, confirmMs: limits.confirmMs, reconcileMs: limits.reconcileMs },
  }),
  output: ({ context }) => context.end ?? { outcome: 'internal_error', error: null },
  initial: 'idle',
  on: {
    'run.cancel': { target: '.cancelled', actions: ['noteCancel', 'closeOpen'] },
    'run.faulted': { target: '.failed', actions: ['noteFault', 'closeOpen'] },
  },
  states: {
    idle: {
      description: 'Queued behind the earlier runs of its session.',
      entry: ['holdCall', { type: 'timer.set', params: ({ event }) => rules.queueTimer(event) }],
      exit: { type: 'timer.clear', params: { id: 'queue' } },
      on: {
        'run.start': { target: 'deciding' },
        'timer.queue': {
          target: 'failed',
          actions: [{ type: 'fail', params: { code: 'QUEUE_EXPIRED' } }, 'closeOpen'],
        },
      },
    },
    deciding: {
      description: 'Transient: decides every branch.',
      always: [
        { guard: 'hasAsked', target: 'awaitingConfirm' },
        { guard: 'hasUncertain', target: 'reconciling' },
        { guard: 'hasStarted', target: 'executing' },
        { guard: 'hasReady', target: 'executing' },
        { target: 'done', actions: 'complete' },
      ],
    },
    executing: {
      description: 'The call is in flight. Its deadline counts only here.',
      entry: [
        'startClock',
        { type: 'timer.set', params: ({ context }) => rules.deadline(context) },
        'startCall',
      ],
      exit: ['stopClock', { type: 'timer.clear', params: { id: 'deadline' } }],
      on: {
        'tool.done': ended,
        'tool.failed': ended,
        'tool.uncertain': uncertain,
        'tool.asked': { guard: 'isAskingCall', target: 'awaitingConfirm', actions: 'noteQuestion' },
        // A sub-run's wait for a person does not count as working time either.
        'subrun.parked': {
          guard: 'mayPark',
          actions: [
            'stopClock',
            'startClock',
            'parkCall',
            { type: 'timer.set', params: ({ context }) => rules.deadline(context) },
          ],
        },
        'subrun.resumed': { guard: 'isParkedCall', actions: 'resumeClock' },
        'run.resumed': {
          actions: [
            'skipDowntime',
            'unparkCalls',
            { type: 'timer.set', params: ({ context }) => rules.deadline(context) },
          ],
        },
        'timer.deadline': {
          target: 'failed',
          actions: [{ type: 'fail', params: { code: 'DEADLINE' } }, 'closeOpen'],
        },
        'effect.poisoned': poisoned,
      },
    },
    awaitingConfirm: {
      description: 'A person decides on the call before it starts, or answers its question while it runs.',
      tags: 'waiting',
      entry: [
        'requestDecisions',
        { type: 'timer.set', params: ({ context }) => rules.confirmTimer(context) },
      ],
      exit: { type: 'timer.clear', params: { id: 'confirm' } },
      on: {
        'confirm.decide': { guard: 'isAskedCall', target: 'deciding', actions: 'applyDecision' },
        'tool.asked': { guard: 'isAskingCall', actions: 'noteQuestion' },
        'tool.done': ended,
        'tool.failed': ended,
        'tool.uncertain': uncertain,
        'timer.confirm': { target: 'deciding', actions: 'expireAsked' },
        'effect.poisoned': poisoned,
      },
    },
    reconciling: {
      description: 'A crash left the call with an unknown outcome; a person says what became of it.',
      tags: 'waiting',
      entry: [
        'requestReconciliation',
        { type: 'timer.set', params: ({ context }) => rules.reconcileTimer(context) },
      ],
      exit: { type: 'timer.clear', params: { id: 'reconcile' } },
      on: {
        'tool.reconcile': { guard: 'isUncertainCall', target: 'deciding', actions: 'applyReconciliation' },
        'timer.reconcile': { target: 'deciding', actions: 'expireUncertain' },
      },
    },
    done: { type: 'final' },
    failed: { type: 'final' },
    cancelled: { type: 'final' },
  },
});

import { confirmTimer, deadline, type EventOf, queueTimer, reconcileTimer } from './calls.rules.ts';
import { deciding } from './run.deciding.ts';
import * as rules from './run.rules.ts';
import { runSetup } from './run.setup.ts';

/** Stored with every run. Raise it with any change of states, effects or context. */
export const runMachineVersion = 4;

/** A running call ended while the run waits for a person. Its question may have been the last open one. */
const endedMeanwhile = [
  {
    guard: 'isLastQuestion',
    target: 'working.deciding',
    actions: ['addCost', 'dropQuestion', 'settleCall'],
  },
  { guard: 'isStartedCall', actions: ['addCost', 'dropQuestion', 'settleCall'] },
] as const;

/**
 * One agent run: what can happen, and when.
 *
 * Pure: it imports only xstate; time and ids arrive in events. It requests work through named actions with JSON params.
 */
export const runMachine = runSetup.createMachine({
  id: 'run',
  context: ({ input }) => ({
    effectCount: 0,
    awaiting: null,
    attempt: 0,
    route: 0,
    waitedMs: 0,
    steps: 0,
    answer: rules.firstAnswer(input),
    empty: 0,
    unseen: 0,
    pending: [],
    errors: 0,
    judged: false,
    failing: null,
    times: 0,
    refused: false,
    tokensIn: 0,
    tokensOut: 0,
    costUsd: 0,
    care: 0,
    loss: null,
    spentMs: 0,
    since: 0,
    end: null,
    limits: rules.limitsAtWork(input.limits),
  }),
  output: ({ context }) => context.end ?? { outcome: 'internal_error', error: null },
  initial: 'idle',
  states: {
    idle: {
      description: 'Queued behind the earlier runs of its session.',
      entry: {
        type: 'timer.set',
        params: ({ event }) => queueTimer(event),
      },
      exit: { type: 'timer.clear', params: { id: 'queue' } },
      on: {
        'run.start': [{ guard: 'isCompaction', target: 'active.working.compacting' }, { target: 'active' }],
        'run.message': { actions: 'countMessage' },
        'run.cancel': { target: 'cancelled', actions: 'noteCancel' },
        'run.faulted': { target: 'failed', actions: 'noteFault' },
        'timer.queue': { target: 'failed', actions: { type: 'fail', params: { code: 'QUEUE_EXPIRED' } } },
      },
    },
    active: {
      initial: 'working',
      on: {
        'run.cancel': { target: 'cancelled', actions: ['noteCancel', 'closeOpen'] },
        'run.faulted': { target: 'failed', actions: ['noteFault', 'closeOpen'] },
      },
      states: {
        working: {
          description: 'The run uses working time. Its deadline counts only here.',
          initial: 'thinking',
          entry: ['startClock', { type: 'timer.set', params: ({ context }) => deadline(context) }],
          exit: ['stopClock', { type: 'timer.clear', params: { id: 'deadline' } }],
          on: {
            'run.resumed': {
              actions: [
                'skipDowntime',
                'unparkCalls',
                { type: 'timer.set', params: ({ context }) => deadline(context) },
              ],
            },
            'timer.deadline': {
              target: '#run.failed',
              actions: [{ type: 'fail', params: { code: 'DEADLINE' } }, 'closeOpen'],
            },
            'effect.poisoned': {
              guard: 'isOpenEffect',
              target: '#run.failed',
              actions: [{ type: 'fail', params: { code: 'POISONED' } }, 'closeOpen'],
            },
          },
          states: {
            thinking: {
              initial: 'requesting',
              on: { 'run.message': { actions: 'countMessage' } },
              states: {
                requesting: {
                  description: 'A model call is in flight.',
                  entry: [
                    'mintEffect',
                    'beginAttempt',
                    'seeMessages',
                    {
                      type: 'effect.callModel',
                      params: ({ context }) => ({
                        effectId: context.effectCount,
                        attempt: context.attempt,
                        route: context.route,
                        pruning: context.care === 0,
                        compaction: context.loss !== 'history',
                      }),
                    },
                  ],
                  on: {
                    'model.done': {
                      guard: 'isAwaited',
                      target: '#run.active.working.deciding',
                      actions: ['addCost', 'noteAnswer', 'holdCalls'],
                    },
                    'model.failed': [
                      { guard: 'mayRetryModel', target: 'backingOff', actions: ['addCost', 'noteWait'] },
                      {
                        guard: 'isAwaited',
                        target: '#run.active.working.deciding',
                        actions: ['addCost', 'noteFailure'],
                      },
                    ],
                    'model.switched': [
                      {
                        guard: 'maySwitch',
                        target: 'requesting',
                        reenter: true,
                        actions: ['addCost', 'passRoute'],
                      },
                      {
                        guard: 'isAwaited',
                        target: '#run.active.working.deciding',
                        actions: ['addCost', 'noteNoModel'],
                      },
                    ],
                    'context.pruned': [
                      { guard: 'mayPrune', target: 'requesting', reenter: true, actions: 'notePruning' },
                      {
                        guard: 'isAwaited',
                        target: '#run.active.working.compacting',
                        actions: 'resetAttempts',
                      },
                    ],
                    'context.tooBig': [
                      {
                        guard: 'mayCompact',
                        target: '#run.active.working.compacting',
                        actions: ['addCost', 'resetAttempts'],
                      },
                      {
                        guard: 'mayCut',
                        target: '#run.active.working.deciding',
                        actions: ['addCost', 'giveUpCompaction'],
                      },
                      {
                        guard: 'isAwaited',
                        target: '#run.active.working.deciding',
                        actions: ['addCost', 'noteOverflow'],
                      },
                    ],
                  },
                },
                backingOff: {
                  description: 'The provider failed with a retryable error; waiting for the next attempt.',
                  entry: {
                    type: 'timer.set',
                    params: ({ event }) => ({
                      id: 'backoff',
                      event: 'timer.backoff',
                      delayMs: (event as EventOf<'model.failed'>).delayMs,
                    }),
                  },
                  exit: { type: 'timer.clear', params: { id: 'backoff' } },
                  on: { 'timer.backoff': { target: 'requesting' } },
                },
              },
            },
            tooling: {
              initial: 'executing',
              states: {
                executing: {
                  description:
                    'Tool calls are in flight: consecutive read-only calls in parallel, all others alone.',
                  entry: 'startCalls',
                  on: {
                    'tool.done': {
                      guard: 'isStartedCall',
                      target: '#run.active.working.deciding',
                      actions: ['resumeClock', 'addCost', 'settleCall'],
                    },
                    'tool.failed': {
                      guard: 'isStartedCall',
                      target: '#run.active.working.deciding',
                      actions: ['resumeClock', 'addCost', 'settleCall'],
                    },
                    'tool.uncertain': {
                      guard: 'isStartedCall',
                      target: '#run.active.working.deciding',
                      actions: ['resumeClock', 'markUncertain'],
                    },
                    // A sub-run's wait for a person does not count as working time either.
                    'subrun.parked': {
                      guard: 'mayPark',
                      actions: [
                        'stopClock',
                        'startClock',
                        'parkCall',
                        { type: 'timer.set', params: ({ context }) => deadline(context) },
                      ],
                    },
                    'subrun.resumed': { guard: 'isParkedCall', actions: 'resumeClock' },
                    'tool.asked': {
                      guard: 'isAskingCall',
                      target: '#run.active.awaitingConfirm',
                      actions: 'noteQuestion',
                    },
                    'run.message': {
                      target: '#run.active.working.deciding',
                      actions: 'countMessage',
                    },
                  },
                },
              },
            },
            compacting: {
              initial: 'flushing',
              on: { 'run.message': { actions: 'countMessage' } },
              states: {
                flushing: {
                  description:
                    "Before the compaction, the model writes what should outlive it to the day's memory file.",
                  entry: [
                    'mintEffect',
                    'beginAttempt',
                    { type: 'effect.flush', params: ({ context }) => ({ effectId: context.effectCount }) },
                  ],
                  on: {
                    'flush.done': {
                      guard: 'isAwaited',
                      target: 'summarizing',
                      actions: ['addCost', 'resetAttempts'],
                    },
                    'flush.failed': [
                      { guard: 'mayRetryCompaction', target: 'flushing', reenter: true, actions: 'addCost' },
                      {
                        guard: 'isAwaited',
                        target: 'summarizing',
                        actions: ['addCost', 'resetAttempts', 'loseMemory'],
                      },
                    ],
                  },
                },
                summarizing: {
                  description: 'The model writes the summary that replaces the older messages.',
                  entry: [
                    'mintEffect',
                    'beginAttempt',
                    { type: 'effect.compact', params: ({ context }) => ({ effectId: context.effectCount }) },
                  ],
                  on: {
                    'compact.done': {
                      guard: 'isAwaited',
                      target: '#run.active.working.deciding',
                      actions: ['addCost', 'noteCompaction'],
                    },
                    'compact.failed': [
                      {
                        guard: 'mayRetryCompaction',
                        target: 'summarizing',
                        reenter: true,
                        actions: 'addCost',
                      },
                      {
                        guard: 'isOnlyCompaction',
                        target: '#run.active.working.deciding',
                        actions: ['addCost', 'noteFailedCompaction'],
                      },
                      {
                        guard: 'isAwaited',
                        target: '#run.active.working.deciding',
                        actions: ['addCost', 'giveUpCompaction'],
                      },
                    ],
                  },
                },
              },
            },
            deciding,
          },
        },
        awaitingConfirm: {
          description:
            'A person decides on all calls of one answer before any of them starts, or answers the question of a running call.',
          tags: 'waiting',
          entry: [
            'requestDecisions',
            {
              type: 'timer.set',
              params: ({ context }) => confirmTimer(context),
            },
          ],
          exit: { type: 'timer.clear', params: { id: 'confirm' } },
          on: {
            'confirm.decide': [
              { guard: 'isLastAskedCall', target: 'working.deciding', actions: 'applyDecision' },
              { guard: 'isAskedCall', actions: 'applyDecision' },
            ],
            // Running calls continue meanwhile, including those with a question.
            'tool.asked': { guard: 'isAskingCall', actions: 'noteQuestion' },
            'subrun.parked': { guard: 'mayPark', actions: 'parkCall' },
            'subrun.resumed': { guard: 'isParkedCall', actions: 'unparkCalls' },
            'run.resumed': { guard: 'hasParked', actions: 'unparkCalls' },
            'tool.done': [...endedMeanwhile],
            'tool.failed': [...endedMeanwhile],
            'tool.uncertain': {
              guard: 'isStartedCall',
              target: 'working.deciding',
              actions: 'markUncertain',
            },
            'effect.poisoned': {
              guard: 'isOpenEffect',
              target: '#run.failed',
              actions: [{ type: 'fail', params: { code: 'POISONED' } }, 'closeOpen'],
            },
            'run.message': {
              target: 'working.deciding',
              actions: ['countMessage', 'withdrawQuestions'],
            },
            'timer.confirm': { target: 'working.deciding', actions: 'expireAsked' },
          },
        },
        reconciling: {
          description: 'A crash left a call with an unknown outcome; a person says what became of it.',
          tags: 'waiting',
          entry: [
            'requestReconciliation',
            {
              type: 'timer.set',
              params: ({ context }) => reconcileTimer(context),
            },
          ],
          exit: { type: 'timer.clear', params: { id: 'reconcile' } },
          on: {
            // Only calls that run alone become uncertain, so there is at most one.
            'tool.reconcile': {
              guard: 'isUncertainCall',
              target: 'working.deciding',
              actions: 'applyReconciliation',
            },
            'run.message': { actions: 'countMessage' },
            'timer.reconcile': { target: 'working.deciding', actions: 'expireUncertain' },
          },
        },
      },
    },
    done: { type: 'final' },
    failed: { type: 'final' },
    cancelled: { type: 'final' },
  },
});

import { newContext } from './job.rules.ts';
import { jobSetup } from './job.setup.ts';

/** Stored with every run of a job. Raise it with any change of states, effects or context. */
export const jobMachineVersion = 1;

/** While a slot is at work, the next one comes due, and the job may be changed. */
const meanwhile = {
  'timer.slot': { actions: ['slotDue', 'ensurePlan'] },
  'slots.found': { guard: 'isPlan', actions: ['noteSlots', 'ensurePlan', 'ensureKept'] },
  'slots.failed': { guard: 'isPlan', actions: 'noteBadSchedule' },
  'job.update': { actions: ['update', 'ensurePlan'] },
  'job.run': { guard: 'hasRoom', actions: 'runNow' },
  'job.pause': { guard: 'mayPause', actions: 'halt' },
  'job.disable': { guard: 'mayDisable', actions: 'halt' },
  'job.resume': { guard: 'mayResume', actions: 'resume' },
  'job.enable': { guard: 'isHalted', actions: ['enable', 'ensurePlan'] },
} as const;

/** Nothing is at work: what happens is decided anew. */
const atRest = {
  'job.run': { guard: 'hasRoom', target: 'due', actions: 'runNow' },
  'job.update': { target: 'due', actions: 'update' },
  'job.disable': { guard: 'mayDisable', target: 'due', actions: 'halt' },
} as const;

/** A step that ended its drivers again and again is given up. */
const poisoned = [
  { guard: 'isDelivery', actions: 'endDelivery' },
  { guard: 'isPlan', actions: 'noteBadSchedule' },
  { guard: 'isPruning', actions: 'notePruned' },
] as const;

/**
 * One scheduled job: what can happen, and when.
 *
 * Pure: it imports only xstate; time and ids arrive in events. It asks its host for the slots of its schedule, for the runs
 * of agents and for deliveries, through named actions with JSON params.
 */
export const jobMachine = jobSetup.createMachine({
  id: 'job',
  context: ({ input }) => newContext(input),
  output: ({ context }) => ({ end: context.end ?? 'failed' }),
  initial: 'idle',
  on: {
    'delivery.done': { guard: 'isDelivery', actions: 'endDelivery' },
    'delivery.failed': { guard: 'isDelivery', actions: 'endDelivery' },
    'slots.pruned': { guard: 'isPruning', actions: ['notePruned', 'ensureKept'] },
    'timer.delivery': { actions: 'retryDeliveries' },
    'job.redeliver': { guard: 'mayRedeliver', actions: 'redeliver' },
    'effect.poisoned': [...poisoned],
    'job.remove': { target: '.removed', actions: ['closeAll', { type: 'end', params: { end: 'removed' } }] },
    'job.faulted': { target: '.failed', actions: ['closeAll', { type: 'end', params: { end: 'failed' } }] },
  },
  states: {
    idle: {
      description: 'Behind the earlier run of its job.',
      tags: 'waiting',
      on: { 'job.start': { target: 'due', actions: 'awaitAttempts' } },
    },
    due: {
      description: 'Decides what comes next; waits for the next slots if they are not known.',
      entry: ['ensurePlan', 'ensureKept'],
      always: [
        { guard: 'isLong', target: 'folded', actions: 'fold' },
        { guard: 'hasWaiting', target: 'starting' },
        { guard: 'isPaused', target: 'paused' },
        { guard: 'isDisabled', target: 'disabled' },
        { guard: 'isSpent', target: 'disabled', actions: 'finish' },
        { guard: 'isPlanned', target: 'scheduled' },
      ],
      on: {
        ...meanwhile,
        'effect.poisoned': [...poisoned],
      },
    },
    scheduled: {
      description: 'Waits for its next slot.',
      tags: 'waiting',
      on: {
        ...atRest,
        'timer.slot': { target: 'due', actions: 'slotDue' },
        'job.pause': { guard: 'mayPause', target: 'due', actions: 'halt' },
      },
    },
    starting: {
      description: 'The run of a slot is being started.',
      entry: 'beginFire',
      on: {
        ...meanwhile,
        'fire.started': { guard: 'isRunOfSlot', target: 'running', actions: 'noteRun' },
        'fire.ended': { guard: 'isFiring', target: 'delivering', actions: 'endFire' },
        'effect.poisoned': [{ guard: 'isFiring', target: 'delivering', actions: 'endFire' }, ...poisoned],
      },
    },
    running: {
      description: 'The run of a slot is at work, or waits for a person.',
      on: {
        ...meanwhile,
        'fire.ended': { guard: 'isFiring', target: 'delivering', actions: 'endFire' },
        'effect.poisoned': [{ guard: 'isFiring', target: 'delivering', actions: 'endFire' }, ...poisoned],
      },
    },
    delivering: {
      description: 'Each delivery is tried once. Further attempts do not keep the next slot waiting.',
      always: { guard: 'isDelivered', target: 'due' },
      on: meanwhile,
    },
    paused: {
      description: 'Stands still after failures, or because somebody paused it.',
      tags: 'waiting',
      on: {
        ...atRest,
        'job.resume': { target: 'due', actions: 'resume' },
        'job.enable': { target: 'due', actions: 'enable' },
      },
    },
    disabled: {
      description: 'Has no slots until somebody enables it.',
      tags: 'waiting',
      on: {
        ...atRest,
        'job.enable': { target: 'due', actions: 'enable' },
      },
    },
    removed: { type: 'final', entry: 'job.gone' },
    folded: { type: 'final', description: 'Goes on in a new run, so that its log stays short.' },
    failed: { type: 'final', description: 'The machine threw again and again.' },
  },
});

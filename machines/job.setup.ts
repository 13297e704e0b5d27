import { assign, setup } from 'xstate';
import type { EventOf } from './job.rules.ts';
import * as rules from './job.rules.ts';
import type {
  DeliveryKey,
  FireKind,
  FireStatus,
  JobContext,
  JobEvent,
  JobFailure,
  JobInput,
  JobOutput,
  OpenDelivery,
  SkipReason,
} from './job.types.ts';
import { owned, owning } from './own-action.ts';

/**
 * The actions that the host performs. `effect.plan|fire|stop|deliver|prune` are work; the host answers each with a fact that has
 * its `effectId`. All others are rows that the host writes in the commit of the transition.
 */
const host = setup({
  types: {
    context: {} as JobContext,
    events: {} as JobEvent,
    input: {} as JobInput,
    output: {} as JobOutput,
  },
  actions: {
    /** Computes the slots after `after` up to `until`, and the next one. `missedAs`: why a late one does not run. */
    'effect.plan': (
      _,
      _params: { effectId: number; revision: number; after: number; until: number; missedAs: SkipReason },
    ) => {},
    /** Starts the run of a slot, or finds it, and waits for its end. */
    'effect.fire': (_, _params: { effectId: number; n: number; slot: number; kind: FireKind }) => {},
    /** Cancels the run of a slot. */
    'effect.stop': (_, _params: { effectId: number; n: number }) => {},
    'effect.deliver': (_, _params: { effectId: number; attempt: number } & DeliveryKey) => {},
    /** Deletes the slots up to the number `upTo` that have ended, with their runs; but not the one of `spare`. */
    'effect.prune': (_, _params: { effectId: number; upTo: number; spare: number | null }) => {},
    'effect.abort': (_, _params: { ids: number[] }) => {},
    'timer.set': (
      _,
      _params: { id: 'slot' | 'delivery'; event: `timer.${'slot' | 'delivery'}`; delayMs: number },
    ) => {},
    'timer.clear': (_, _params: { id: 'slot' | 'delivery' }) => {},
    /** A slot that is to run. */
    'fire.open': (_, _params: { n: number; slot: number; kind: FireKind }) => {},
    'fire.begin': (_, _params: { n: number }) => {},
    'fire.run': (_, _params: { n: number; runId: string }) => {},
    'fire.end': (
      _,
      _params: {
        n: number;
        status: FireStatus;
        runId: string | null;
        error: JobFailure | null;
      },
    ) => {},
    /** Slots that were to run, and will not. */
    'fire.drop': (_, _params: { ns: number[]; reason: SkipReason }) => {},
    /** Slots that do not run. */
    'slots.skip': (_, _params: { slots: { n: number; slot: number; reason: SkipReason }[] }) => {},
    'delivery.open': (_, _params: DeliveryKey) => {},
    /** One that was given up is tried again. */
    'delivery.reopen': (_, _params: DeliveryKey) => {},
    'delivery.end': (
      _,
      _params: { status: 'delivered' | 'dead'; attempt: number; error: JobFailure | null } & DeliveryKey,
    ) => {},
    'delivery.wait': (_, _params: { attempt: number; error: JobFailure; dueAt: number } & DeliveryKey) => {},
    /** Goes on in a new run of the job. */
    'job.fold': (_, _params: { context: JobContext }) => {},
    'job.gone': (_) => {},
  },
});

const own = owning(host);

/** The job chart's actions and guards, by name. */
export const jobSetup = host.extend({
  actions: {
    ensurePlan: own.enqueueActions(({ context, event, enqueue }) => {
      if (rules.mustPlan(context)) plan(context, event.at, 'missed', enqueue);
    }),
    /** Deletes what is not kept any more. */
    ensureKept: own.enqueueActions(({ context, enqueue }) => {
      const upTo = rules.notKept(context);
      if (upTo === null) return;
      const effectId = context.effectCount + 1;
      enqueue.assign({ effectCount: effectId, pruning: effectId, pruned: upTo });
      enqueue({ type: 'effect.prune', params: { effectId, upTo, spare: context.lastGood } });
    }),
    notePruned: own.assign({ pruning: null }),
    slotDue: own.assign({ next: null }),
    noteSlots: own.enqueueActions(({ context, event, enqueue }) => {
      const found = event as EventOf<'slots.found'>;
      const admitted = rules.admit(context, found);
      for (const fire of admitted.added) enqueue({ type: 'fire.open', params: { ...fire } });
      if (admitted.replaced.length > 0)
        enqueue({ type: 'fire.drop', params: { ns: admitted.replaced, reason: 'replaced' } });
      if (admitted.skipped.length > 0) enqueue({ type: 'slots.skip', params: { slots: admitted.skipped } });
      const isCurrent = found.revision === context.revision && !found.more && context.halt === null;
      const next = isCurrent ? (found.next ?? 'none') : null;
      const change: Partial<JobContext> = {
        planning: null,
        next,
        waiting: admitted.waiting,
        count: admitted.count,
        turns: context.turns + admitted.skipped.length,
        cursor: Math.max(context.cursor, found.upTo),
      };
      if (admitted.stops && context.firing) {
        const effectId = context.effectCount + 1;
        change.effectCount = effectId;
        change.firing = { ...context.firing, stopping: true };
        enqueue({ type: 'effect.stop', params: { effectId, n: context.firing.n } });
      }
      enqueue.assign(change);
      if (next !== null && next !== 'none')
        enqueue({
          type: 'timer.set',
          params: { id: 'slot', event: 'timer.slot', delayMs: Math.max(0, next.at - event.at) },
        });
    }),
    noteBadSchedule: own.assign(({ event }) => ({
      planning: null,
      halt: { as: 'disabled' as const, reason: failureOf(event).message },
    })),
    beginFire: own.enqueueActions(({ context, enqueue }) => {
      const [first, ...waiting] = context.waiting;
      if (!first) return;
      const effectId = context.effectCount + 1;
      enqueue.assign({
        waiting,
        effectCount: effectId,
        firing: { ...first, effectId, runId: null, stopping: false },
      });
      enqueue({ type: 'fire.begin', params: { n: first.n } });
      enqueue({ type: 'effect.fire', params: { effectId, ...first } });
    }),
    noteRun: own.enqueueActions(({ context, event, enqueue }) => {
      const { runId } = event as EventOf<'fire.started'>;
      if (!context.firing) return;
      enqueue.assign({ firing: { ...context.firing, runId } });
      enqueue({ type: 'fire.run', params: { n: context.firing.n, runId } });
    }),
    endFire: own.enqueueActions(({ context, event, enqueue }) => {
      const { firing } = context;
      if (firing === null) return;
      const end = endOf(event);
      const { runId = firing.runId, status, error } = end;
      enqueue({
        type: 'fire.end',
        params: { n: firing.n, status, runId: runId ?? firing.runId, error },
      });
      const change = rules.settled(context, { ...end, at: event.at });
      let { effectCount } = context;
      const begun = rules
        .deliveriesOf(context, status, end.isSpared ? 0 : (change.failures ?? 0))
        .map((delivery) => {
          const { n, target, isAlert, attempt } = delivery;
          const effectId = ++effectCount;
          enqueue({ type: 'delivery.open', params: { n, target, isAlert } });
          enqueue({ type: 'effect.deliver', params: { effectId, n, target, isAlert, attempt } });
          return { ...delivery, effectId };
        });
      enqueue.assign({ ...change, effectCount, deliveries: [...context.deliveries, ...begun] });
      if (change.halt && !context.halt) stopQueue({ ...context, ...change }, 'paused', enqueue);
    }),
    endDelivery: own.enqueueActions(({ context, event, enqueue }) => {
      const mine = context.deliveries.find(
        ({ effectId }) => 'effectId' in event && effectId === event.effectId,
      );
      if (!mine) return;
      const { n, target, isAlert, attempt } = mine;
      const others = context.deliveries.filter((delivery) => delivery !== mine);
      const failed = event.type === 'delivery.done' ? null : failureOf(event);
      const delayMs = event.type === 'delivery.failed' ? event.delayMs : null;
      if (failed === null || delayMs === null || attempt >= context.definition.attempts) {
        const status = failed === null ? 'delivered' : 'dead';
        enqueue({ type: 'delivery.end', params: { n, target, isAlert, attempt, status, error: failed } });
        enqueue.assign({ deliveries: others, ...(failed && rules.withLost(context, n, 1)) });
        return;
      }
      const dueAt = event.at + delayMs;
      enqueue({ type: 'delivery.wait', params: { n, target, isAlert, attempt, error: failed, dueAt } });
      const deliveries = [...others, { ...mine, effectId: null, dueAt }];
      enqueue.assign({ deliveries });
      awaitAttempt(deliveries, event.at, enqueue);
    }),
    retryDeliveries: own.enqueueActions(({ context, event, enqueue }) => {
      let { effectCount } = context;
      const deliveries = context.deliveries.map((delivery) => {
        const { n, target, isAlert, effectId, dueAt } = delivery;
        if (effectId !== null || dueAt > event.at) return delivery;
        const attempt = delivery.attempt + 1;
        const next = ++effectCount;
        enqueue({ type: 'effect.deliver', params: { effectId: next, n, target, isAlert, attempt } });
        return { ...delivery, attempt, effectId: next, dueAt: 0 };
      });
      enqueue.assign({ effectCount, deliveries });
      awaitAttempt(deliveries, event.at, enqueue);
    }),
    redeliver: own.enqueueActions(({ context, event, enqueue }) => {
      const { n, target, isAlert } = event as EventOf<'job.redeliver'>;
      const effectId = context.effectCount + 1;
      const delivery = { n, target, isAlert, attempt: 1, effectId, dueAt: 0 };
      enqueue.assign({
        effectCount: effectId,
        deliveries: [...context.deliveries, delivery],
        ...rules.withLost(context, n, -1),
      });
      enqueue({ type: 'delivery.reopen', params: { n, target, isAlert } });
      enqueue({ type: 'effect.deliver', params: { effectId, n, target, isAlert, attempt: 1 } });
    }),
    awaitAttempts: own.enqueueActions(({ context, event, enqueue }) => {
      awaitAttempt(context.deliveries, event.at, enqueue);
    }),
    runNow: own.enqueueActions(({ context, event, enqueue }) => {
      const fire = { n: context.count + 1, slot: event.at, kind: 'manual' as const };
      enqueue.assign({ count: fire.n, waiting: [...context.waiting, fire] });
      enqueue({ type: 'fire.open', params: fire });
    }),
    update: own.enqueueActions(({ context, event, enqueue }) => {
      const { definition, at } = event as EventOf<'job.update'>;
      const { next, halt } = context;
      const change: Partial<JobContext> = {
        definition,
        revision: context.revision + 1,
        next: null,
        cursor: Math.max(context.cursor, at),
        halt: halt?.reason === rules.finished ? null : halt,
      };
      // It was due, and its timer is late.
      if (next !== null && next !== 'none' && next.slot <= at) {
        const fire = { n: context.count + 1, slot: next.slot, kind: 'slot' as const };
        enqueue({ type: 'fire.open', params: fire });
        Object.assign(change, { count: fire.n, waiting: [...context.waiting, fire] });
      }
      enqueue.assign(change);
      enqueue({ type: 'timer.clear', params: { id: 'slot' } });
    }),
    halt: own.enqueueActions(({ context, event, enqueue }) => {
      const { type, reason } = event as EventOf<'job.pause' | 'job.disable'>;
      const as = type === 'job.pause' ? 'paused' : 'disabled';
      enqueue.assign({ halt: { as, reason } });
      stopQueue(context, as, enqueue);
    }),
    finish: own.assign({ halt: { as: 'disabled', reason: rules.finished } }),
    /** Slots of the pause go on record, and none of them runs; nor do those before it that are not on record yet. */
    resume: own.enqueueActions(({ context, event, enqueue }) => {
      if (context.planning !== null) enqueue({ type: 'effect.abort', params: { ids: [context.planning] } });
      const change = { halt: null, failures: 0, next: null };
      enqueue.assign(change);
      plan({ ...context, ...change }, event.at, 'paused', enqueue);
    }),
    /** Slots of a disabled job do not count. */
    enable: own.assign(({ context, event }) => ({
      halt: null,
      failures: 0,
      next: null,
      cursor: Math.max(context.cursor, event.at),
    })),
    closeAll: own.enqueueActions(({ context, enqueue }) => {
      const ids = rules.awaitedEffects(context);
      if (ids.length > 0) enqueue({ type: 'effect.abort', params: { ids } });
      enqueue({ type: 'timer.clear', params: { id: 'slot' } });
      enqueue({ type: 'timer.clear', params: { id: 'delivery' } });
    }),
    fold: own.enqueueActions(({ context, enqueue }) => {
      enqueue({ type: 'timer.clear', params: { id: 'slot' } });
      enqueue({ type: 'timer.clear', params: { id: 'delivery' } });
      enqueue({ type: 'job.fold', params: { context } });
      enqueue.assign({ end: 'folded' });
    }),
    end: owned(assign<JobContext, JobEvent, Parameters<typeof end>[1], JobEvent, never>(end), {
      assignment: end,
    }),
  },
  guards: {
    isPlan: ({ context, event }) => rules.isPlan(context, event),
    isPruning: ({ context, event }) => rules.isPruning(context, event),
    isFiring: ({ context, event }) => rules.isFiring(context, event),
    isDelivery: ({ context, event }) => rules.isDelivery(context, event),
    mayRedeliver: ({ context, event }) => rules.mayRedeliver(context, event as EventOf<'job.redeliver'>),
    isRunOfSlot: ({ context, event }) => context.firing?.n === (event as EventOf<'fire.started'>).n,
    hasRoom: ({ context }) => context.waiting.length < rules.maxWaiting,
    hasWaiting: ({ context }) => context.waiting.length > 0,
    isPaused: ({ context }) => context.halt?.as === 'paused' && context.planning === null,
    isDisabled: ({ context }) => context.halt?.as === 'disabled' && context.planning === null,
    mayPause: ({ context }) => context.halt === null,
    mayDisable: ({ context }) => context.halt?.as !== 'disabled',
    mayResume: ({ context }) => context.halt?.as === 'paused',
    isHalted: ({ context }) => context.halt !== null,
    isLong: ({ context }) => context.turns >= rules.turnsPerRun && rules.isQuiet(context),
    isSpent: ({ context }) => context.next === 'none',
    isPlanned: ({ context }) => context.next !== null,
    isDelivered: ({ context }) =>
      context.deliveries.every(({ attempt, effectId }) => attempt > 1 || effectId === null),
  },
});

type Enqueue = Parameters<Parameters<typeof host.enqueueActions>[0]>[0]['enqueue'];

function plan(context: JobContext, until: number, missedAs: SkipReason, enqueue: Enqueue): void {
  const effectId = context.effectCount + 1;
  const { revision, cursor: after } = context;
  enqueue.assign({ effectCount: effectId, planning: effectId });
  enqueue({ type: 'effect.plan', params: { effectId, revision, after, until, missedAs } });
}

/** A job that halts has no next slot, and the slots that wait do not run. What people asked for still does. */
function stopQueue({ waiting }: JobContext, reason: 'paused' | 'disabled', enqueue: Enqueue): void {
  const { kept, dropped } = rules.withoutSlots(waiting);
  if (dropped.length > 0) enqueue({ type: 'fire.drop', params: { ns: dropped, reason } });
  enqueue.assign({ waiting: kept, next: null });
  enqueue({ type: 'timer.clear', params: { id: 'slot' } });
}

function awaitAttempt(deliveries: readonly OpenDelivery[], at: number, enqueue: Enqueue): void {
  const dueAt = rules.nextAttempt(deliveries);
  if (dueAt !== null)
    enqueue({
      type: 'timer.set',
      params: { id: 'delivery', event: 'timer.delivery', delayMs: Math.max(0, dueAt - at) },
    });
}

function endOf(event: JobEvent): Pick<EventOf<'fire.ended'>, 'runId' | 'status' | 'error' | 'isSpared'> {
  if (event.type === 'fire.ended') return event;
  return { runId: null, status: 'failed', error: failureOf(event) };
}

/** What an event that reports a failure says. */
function failureOf(event: JobEvent): JobFailure {
  if ('error' in event && event.error) return event.error;
  return {
    code: 'POISONED',
    message: 'this step ended three processes that performed it, so it is not tried again',
  };
}

function end(_: unknown, { end }: { end: JobOutput['end'] }): Partial<JobContext> {
  return { end };
}

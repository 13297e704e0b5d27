import type { Fact } from '../../engine/machine.ts';
import type { JobDesk, JobWork } from '../job-host.ts';
import { noSlots } from '../machine/job-facts.ts';
import type { JobEffect } from '../machine/job-run.ts';
import { slotsOf } from './due-slots.ts';
import { makeDelivery } from './make-delivery.ts';
import { prune } from './prune.ts';
import { runSlot, stopSlot } from './run-slot.ts';
import type { WorkParts } from './work-parts.ts';

/** Performs the effects of jobs. Loaded by the processes that run the schedule. */
export function jobWork(parts: WorkParts, desk: JobDesk): JobWork {
  return {
    plan: (job) => plan(parts, job),
    fire: (job) => runSlot(parts, job),
    stop: (job) => stopSlot(parts, job),
    deliver: (job) => makeDelivery(parts, job),
    prune: (job) => prune(parts, job),
    desk,
    ...(parts.tell && { tell: parts.tell }),
  };
}

const noneFound = { fire: [], skipped: [], counted: 0, next: null, more: false };

function plan({ zones }: WorkParts, { params, options, context, effectId }: JobEffect): Fact {
  const { after, until, revision, missedAs } = params;
  // Asked before a change: the new schedule has no slots from before it.
  if (revision !== context.revision)
    return { event: { type: 'slots.found', effectId, revision, upTo: until, ...noneFound } };
  try {
    const asked = {
      key: options.key,
      after: Number(after),
      until: Number(until),
      missedAs: missedAs === 'paused' ? ('paused' as const) : ('missed' as const),
    };
    const found = slotsOf(context.definition, asked, zones);
    return { event: { type: 'slots.found', effectId, revision, ...found } };
  } catch (error) {
    return noSlots(effectId, error);
  }
}

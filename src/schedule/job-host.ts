import { jobMachine, jobMachineVersion } from '../../machines/job.machine.ts';
import type { SkippedSlot, SkipReason } from '../../machines/job.types.ts';
import type { CommitScope, MachineHost } from '../engine/machine-host.ts';
import { PureMachine } from '../engine/pure-machine.ts';
import { jobMachineId, jobOptionsOf } from '../records/job-run.ts';
import type { Program } from '../store/program.ts';
import type { JobWorker } from './job-worker.ts';
import { deliveryFailed, failureOf, noSlots, slotEnded } from './machine/job-facts.ts';
import { foldJob, jobRows } from './machine/job-rows.ts';
import type { JobRun } from './machine/job-run.ts';
import { ask } from './machine/statements.ts';

/** The commands that people and programs may send to a job. */
const commands = [
  'job.update',
  'job.run',
  'job.redeliver',
  'job.pause',
  'job.resume',
  'job.enable',
  'job.disable',
  'job.remove',
] as const;

/** The job machine's host: writes its rows, and has its effects performed where the schedule runs. */
export function createJobHost(worker: JobWorker): MachineHost<JobRun> {
  // Only the chart knows all slots that did not run, since it skips some itself.
  const tellSkipped = ({ row }: CommitScope, slots: readonly (SkippedSlot & { n: number })[]) => {
    const about = { tenant: row.tenant, jobId: jobOptionsOf(row).jobId, type: 'skipped' as const };
    for (const { n, slot, reason } of slots) worker.tell({ ...about, n, slot, reason });
  };
  const again = () => 'perform' as const;
  const host: MachineHost<JobRun> = {
    id: jobMachineId,
    version: jobMachineVersion,
    machine: new PureMachine(jobMachine),
    awaited: ({ planning, pruning, firing, deliveries }) =>
      [planning, pruning, firing?.effectId, ...deliveries.map(({ effectId }) => effectId)].filter(
        (id) => typeof id === 'number',
      ),
    commands: new Set(commands),
    startEvent: 'job.start',
    heldEffect: 'none',
    resumed: (lastAt) => ({ type: 'job.resumed', lastAt }),
    poisoned: (effectId) => ({ type: 'effect.poisoned', effectId }),
    faulted: (code, message) => ({ type: 'job.faulted', code, message }),
    possibleCommands: ({ definition }) =>
      commands.map((type) => ({ type, reason: '', ...(type === 'job.update' && { definition }) })),
    newCache: () => null,
    isParked: (snapshot) => snapshot.hasTag('waiting'),
    effects: {
      'effect.plan': {
        recover: again,
        perform: async (job) => worker.work.plan(job),
        failed: noSlots,
      },
      'effect.fire': {
        recover: again,
        perform: async (job) => worker.work.fire(job),
        failed: (effectId, error) =>
          slotEnded(effectId, { runId: null, status: 'failed', error: failureOf(error) }),
      },
      'effect.stop': {
        recover: again,
        perform: async (job) => worker.work.stop(job),
        failed: (effectId) => ({ event: { type: 'fire.stopped', effectId } }),
      },
      'effect.deliver': {
        recover: again,
        perform: async (job) => worker.work.deliver(job),
        failed: (effectId, error) => deliveryFailed(effectId, 1, error),
      },
      'effect.prune': {
        recover: again,
        perform: async (job) => worker.work.prune(job),
        // The next prune deletes the rest.
        failed: (effectId) => ({ event: { type: 'slots.pruned', effectId } }),
      },
    },
    rows: {
      ...jobRows,
      'slots.skip': (params, scope) => {
        tellSkipped(scope, (params as { slots: (SkippedSlot & { n: number })[] }).slots);
        return jobRows['slots.skip'](params, scope);
      },
      *'fire.drop'(params, scope) {
        const { ns, reason } = params as { ns: number[]; reason: SkipReason };
        const dropped = yield* slotsOf(scope, ns);
        yield* jobRows['fire.drop'](params, scope);
        tellSkipped(
          scope,
          dropped.map((fire) => ({ ...fire, reason })),
        );
      },
      'job.fold': (params, scope) => foldJob(host as MachineHost, params, scope),
    },
    *aborting() {},
  };
  return host;
}

function* slotsOf({ row }: CommitScope, ns: readonly number[]): Program<{ n: number; slot: number }[]> {
  const found: { n: number; slot: number }[] = [];
  for (const n of ns) {
    const fire = yield* ask('findFire', { tenant: row.tenant, job: jobOptionsOf(row).jobId, n });
    if (fire) found.push({ n, slot: fire.slot });
  }
  return found;
}

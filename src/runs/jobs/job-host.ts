import { jobMachine, jobMachineVersion } from '../../../machines/job.machine.ts';
import type { SkippedSlot, SkipReason } from '../../../machines/job.types.ts';
import type { EventBus } from '../../engine/bus.ts';
import type { Engine } from '../../engine/engine.ts';
import type { CommitScope, Fact, MachineHost } from '../../engine/machine-host.ts';
import { PureMachine } from '../../engine/pure-machine.ts';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { jobMachineId, jobOptionsOf } from '../../records/job-run.ts';
import type { Program } from '../../store/program.ts';
import type { Runs } from '../runs.ts';
import type { Store as RunsStore } from '../statements.ts';
import { deliver, deliveryFailed } from './deliver-job.ts';
import { fire, stop } from './fire-job.ts';
import type { JobEffect, JobRun } from './job-effect.ts';
import { foldJob, jobRows } from './job-rows.ts';
import type { Happening, JobWork } from './job-work.ts';
import { type Forget, prune } from './prune.ts';
import { ask, type Store } from './statements.ts';

interface JobHostOptions {
  store: Store & RunsStore;
  bus: EventBus;
  /** They are made with this host, so they are asked for when an effect is performed. */
  engine(): Pick<Engine, 'adopt'>;
  runs(): Pick<Runs, 'view' | 'cancel' | 'settled'>;
  forget: Forget;
  /** @throws DetentError `NO_SCHEDULER` when this program does not run the schedule. */
  work(): JobWork;
  /** Gets what happens with jobs, for people to read. */
  tell(happening: Happening): void;
}

/** What people and programs may ask of a job. */
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

/** The job machine's host: performs its effects and writes its rows. */
export function createJobHost(options: JobHostOptions): MachineHost<JobRun> {
  const { store, bus, work } = options;
  const parts = () => {
    const { start, deliver, tell, room } = work();
    return {
      store,
      bus,
      start,
      deliver,
      room,
      engine: options.engine(),
      runs: options.runs(),
      ...(tell && { tell }),
    };
  };
  // Only the chart knows all slots that do not run: it skips some itself.
  const tellSkipped = ({ row }: CommitScope, slots: readonly (SkippedSlot & { n: number })[]) => {
    const about = { tenant: row.tenant, jobId: jobOptionsOf(row).jobId, type: 'skipped' as const };
    for (const { n, slot, reason } of slots) options.tell({ ...about, n, slot, reason });
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
        perform: async (job) => plan(work(), job),
        failed: (effectId, error) => noSlots(effectId, error),
      },
      'effect.fire': {
        recover: again,
        perform: async (job) => fire(parts(), job),
        failed: (effectId, error) => ({
          event: {
            type: 'fire.ended',
            effectId,
            runId: null,
            status: 'failed',
            error: { code: 'INTERNAL', message: messageOf(error) },
          },
        }),
      },
      'effect.stop': {
        recover: again,
        perform: async (job) => stop(parts(), job),
        failed: (effectId) => ({ event: { type: 'fire.stopped', effectId } }),
      },
      'effect.deliver': {
        recover: again,
        perform: async (job) => deliver({ store, runs: options.runs(), work: work() }, job),
        failed: (effectId, error) => deliveryFailed(effectId, 1, error),
      },
      'effect.prune': {
        recover: again,
        perform: async (job) => prune({ store, forget: options.forget }, job),
        // What is left goes with the next one.
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

function plan(work: JobWork, job: JobEffect): Fact {
  const { after, until, revision, missedAs } = job.params;
  try {
    const asked = {
      key: job.options.key,
      after: Number(after),
      until: Number(until),
      missedAs: missedAs === 'paused' ? ('paused' as const) : ('missed' as const),
    };
    const found = work.slots(job.context.definition, asked);
    return { event: { type: 'slots.found', effectId: job.effectId, revision, ...found } };
  } catch (error) {
    return noSlots(job.effectId, error);
  }
}

function noSlots(effectId: number, error: unknown): Fact {
  const code = DetentError.is(error) ? error.code : 'INTERNAL';
  return { event: { type: 'slots.failed', effectId, error: { code, message: messageOf(error) } } };
}

import type { JobDefinition, JobTarget, SkipReason } from '../../../machines/job.types.ts';
import { readJob } from '../../../src/schedule/jobs/definition.ts';
import { clockBegins, type JobOrder, type PlannedJob } from './order.ts';

/** What the rows of a job must say in the end, whatever was killed. */
export interface Expected {
  /** Its slots, each of which is on record once. */
  slots: number[];
  /** How a slot may end that runs. */
  statuses: readonly ('ok' | 'failed' | 'cancelled')[];
  /** Why slots may be left out; default: none is. */
  skipped?: readonly SkipReason[];
  /** How many of them do not run; default: none. Null where crashes change it. */
  skips?: number | null;
  /** How the deliveries of a slot that ran end, those of an alert last. */
  deliveries: readonly ('delivered' | 'dead')[];
  /** How many runs of the job machine it takes. */
  jobRuns?: number;
}

export interface JobScenario extends Partial<Pick<JobOrder, 'thinkingMs' | 'asks'>> {
  name: string;
  job(receiver: string): PlannedJob;
  expected: Expected;
}

const second = 1_000;
const [hour, day] = [3_600 * second, 24 * 3_600 * second];
/** Slots so many seconds after the clock of the scenario begins. */
const after = (...seconds: number[]) => seconds.map((n) => clockBegins + n * second);

function planned(cron: string, deliver: JobTarget[], change: Partial<JobDefinition> = {}): PlannedJob {
  const written = { jobId: 'job', cron, dialect: 'quartz', timeZone: 'UTC', prompt: 'go' };
  const { definition } = readJob(written, { timeZone: 'UTC', now: clockBegins });
  const all = {
    ...definition,
    deliver,
    misfire: 'all',
    overlap: 'queue',
    attempts: 2,
    keep: 1_000,
    ...change,
  };
  return { id: 'job', from: clockBegins, definition: all as JobDefinition };
}

const one = '12 0 0 1 6 ? 2026';
const three = '12,16,20 0 0 1 6 ? 2026';
const hooks = (receiver: string, ...paths: string[]): JobTarget[] =>
  paths.map((path) => ({ kind: 'webhook', url: `${receiver}/${path}` }));

export const jobScenarios: readonly JobScenario[] = [
  {
    name: 'three slots whose results are delivered',
    job: (receiver) => planned(three, hooks(receiver, 'ok')),
    expected: { slots: after(12, 16, 20), statuses: ['ok'], deliveries: ['delivered'] },
  },
  {
    name: 'receivers that fail, hang up or are slow once',
    job: (receiver) => planned(one, hooks(receiver, 'fails-once', 'hangs-up-once', 'slow-once')),
    expected: { slots: after(12), statuses: ['ok'], deliveries: ['delivered', 'delivered', 'delivered'] },
  },
  {
    name: 'receivers that are gone or down',
    job: (receiver) =>
      planned(one, [...hooks(receiver, 'gone'), { kind: 'webhook', url: 'http://127.0.0.1:9/' }]),
    expected: { slots: after(12), statuses: ['ok'], deliveries: ['dead', 'dead'] },
  },
  {
    name: 'a run that fails, and an alert',
    job: (receiver) =>
      planned(one, hooks(receiver, 'ok'), {
        prompt: 'fail',
        alertAfter: 1,
        alert: hooks(receiver, 'fails-once'),
      }),
    expected: { slots: after(12), statuses: ['failed'], deliveries: ['delivered', 'delivered'] },
  },
  {
    name: 'slots that cancel the run before them',
    thinkingMs: 300,
    job: (receiver) => planned(three, hooks(receiver, 'ok'), { overlap: 'cancel-previous' }),
    expected: {
      slots: after(12, 16, 20),
      statuses: ['ok', 'cancelled'],
      skipped: ['replaced'],
      skips: null,
      deliveries: ['delivered'],
    },
  },
  {
    name: 'a run that waits for a person',
    asks: true,
    job: (receiver) => planned(one, hooks(receiver, 'ok')),
    expected: { slots: after(12), statuses: ['ok'], deliveries: ['delivered'] },
  },
  {
    name: 'a job that goes on in another run with a delivery to repeat',
    job: (receiver) => ({
      // The clock begins after two days of missed slots.
      ...planned('12,14,16 0 * 30,31,1 5,6 ? 2026', hooks(receiver, 'fails-once'), { misfire: 'once' }),
      from: clockBegins - 2 * day,
    }),
    expected: {
      slots: Array.from({ length: 49 }, (_, i) =>
        [12, 14, 16].map((n) => clockBegins - 2 * day + i * hour + n * second),
      ).flat(),
      statuses: ['ok'],
      skipped: ['coalesced', 'too_old'],
      // The three of the first minute, too, if processes start late.
      skips: null,
      deliveries: ['delivered'],
      jobRuns: 2,
    },
  },
];

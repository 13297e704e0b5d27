import { unharmed } from '../harness/life.ts';
import type { Result, Suite, World } from '../harness/matrix.ts';
import { inspectJobs } from './inspect.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import type { JobScenario } from './scenarios.ts';

export interface JobMatrixResult extends Result {
  kills: number;
  slots: number;
  runs: number;
  deliveries: number;
  /** Deliveries that a receiver took twice: the first process died before it knew. */
  repeats: number;
}

export interface JobWorld extends World {
  receiver: Receiver;
}

/** Processes that run a schedule. */
export const jobSuite: Suite<JobScenario, JobWorld, JobMatrixResult> = {
  name: 'jobs',
  async open(workspace) {
    const receiver = await startReceiver();
    return { workspace, receiver, close: () => receiver.close() };
  },
  phasesOf: ({ job, thinkingMs = 20, asks = false }, { workspace, receiver }) => [
    { of: 'jobs', ...unharmed, workspace, jobs: [job(receiver.url)], thinkingMs, asks },
  ],
  emptyResult: () => ({ points: 0, kills: 0, slots: 0, runs: 0, deliveries: 0, repeats: 0, problems: [] }),
  inspect: inspectJobs,
};

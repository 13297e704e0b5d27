import type { JobContext, JobDefinition } from '../../../machines/job.types.ts';
import type { EffectJob } from '../../engine/machine.ts';
import { ownSessions } from '../../protocol/access.ts';
import type { LimitsConfig } from '../../protocol/config.ts';
import type { Approve } from '../../protocol/enums.ts';
import type { FollowedSkill } from '../../protocol/ports.ts';
import type { StoredTaint } from '../../store/stored-message.ts';
import { type JobRunOptions, ownSlotSession } from '../../store/stored-run.ts';

/** The types of a job's runs, for the engine. */
export interface JobRun {
  context: JobContext;
  options: JobRunOptions;
  cache: null;
}

/** One effect of a job, as the engine asks for it. */
export type JobEffect = EffectJob<JobRun>;

/** The session of a job's own runs. No caller can name it: keys have no control characters. */
export function jobLane(jobId: string): string {
  return `\u0001job:${jobId}`;
}

/** The session of an agent's runs that an earlier version gave each job. */
export function jobSession(jobId: string): string {
  return `${ownSessions.job}${jobId}`;
}

/** The session that the runs of a job share; null when each has one of its own. */
export function sharedSession(jobId: string, { session = jobSession(jobId) }: JobDefinition): string | null {
  return session;
}

/** The session of an agent's run in a slot. */
export function slotSession(jobId: string, definition: JobDefinition, runId: string): string {
  return sharedSession(jobId, definition) ?? ownSlotSession(jobId, runId);
}

/** The agent's run of a slot: the same for each process that starts it. */
export function slotRunId(key: string, n: number): string {
  return `run_${key.replace(/^job_/, '')}f${n}`;
}

/**
 * The id of what a receiver gets of a slot, the same for each attempt. A database that was restored from a backup counts its slots
 * from there again, so the time of the slot is in it.
 *
 * @param slot null for a delivery of an earlier version
 * @param what the target, or what the alert is about
 */
export function messageId(
  key: string,
  { n, slot }: { n: number; slot: number | null },
  what: string,
): string {
  const time = slot === null ? '' : `_${slot.toString(36)}`;
  return `msg_${key.replace(/^job_/, '')}_${n}${time}_${what}`;
}

/** The id of one of a job's own runs: a job continues in run after run, each with a number. */
export function jobRunId(key: string, ordinal: number): string {
  return `${key}-${ordinal}`;
}

/** The bounds of the runs of a job that an agent made: those of the run in which the agent made it. */
export type JobBounds = {
  /** The idempotency key of the call that made it. */
  call: string;
  /** As of `RunOptions`. */
  tools: string[] | null;
  skills: string[] | null;
  /** Null: as the configuration says. */
  approve: Exclude<Approve, 'all'> | null;
  limits: LimitsConfig;
  budget: string | null;
  follows: FollowedSkill[];
  /** The sources of untrusted text in the conversation that it was made in. */
  tainted: StoredTaint[];
};

export function boundsOf({ bounds }: JobDefinition): JobBounds | null {
  return bounds === undefined ? null : (bounds as JobBounds);
}

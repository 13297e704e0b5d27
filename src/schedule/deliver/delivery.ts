import type { FireKind, JobTarget } from '../../../machines/job.types.ts';
import type { StoredTaint } from '../../store/stored-message.ts';

/** A result on its way. */
export interface Delivery {
  /** The same for each attempt: a receiver that gets it twice knows it by this. */
  id: string;
  target: JobTarget;
  isAlert: boolean;
  tenant: number;
  jobId: string;
  user: string | null;
  /** The slot's number. */
  n: number;
  slot: number;
  /** When its run ended, or began to wait. */
  endedAt: number;
  kind: FireKind;
  /** Of alerts also `waiting`: the run waits for a person; and `paused`: failures pause the job. */
  status: 'ok' | 'failed' | 'cancelled' | 'waiting' | 'paused';
  runId: string | null;
  /** The last answer of the run; empty without one. */
  text: string;
  /** The sources of untrusted text in it. */
  tainted: readonly StoredTaint[];
  error: { code: string; message: string } | null;
  /** In a row, this one included. */
  failures: number;
  attempt: number;
  /** How long after this attempt, if it fails with the error, the next one comes; null for none. */
  againMs(error: unknown): number | null;
  /** Whether the result of a later slot has arrived at the same target. */
  isOvertaken(): Promise<boolean>;
  signal: AbortSignal;
}

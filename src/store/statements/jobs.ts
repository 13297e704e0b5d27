import type { DeliveryRow, FireRow, JobRow, RunRow, Scoped } from '../rows.ts';

type OfJob = Scoped & { job: string };
type OfFire = OfJob & { n: number };
type OfDelivery = OfFire & Pick<DeliveryRow, 'target' | 'isAlert'>;

/** A job with what its run says of it. */
export type JobWithRun = JobRow &
  Pick<RunRow, 'state' | 'context' | 'ended' | 'driver'> & {
    /** When its run last moved. */
    movedAt: number;
  };

/** Scheduled jobs, their slots and the deliveries of results. */
export interface JobStatements {
  insertJob: { in: JobRow & Scoped; out: number };
  findJob: { in: Scoped & { id: string }; out: JobWithRun | undefined };
  /** Those behind the id `after`, in the order of their ids. */
  listJobs: { in: Scoped & { after: string; limit: number }; out: JobWithRun[] };
  /** The same, of one user. */
  listUserJobs: { in: Scoped & { user: string; after: string; limit: number }; out: JobWithRun[] };
  /** Names the run that the job goes on in. */
  moveJob: { in: Scoped & { id: string; run: number; runId: string }; out: number };
  touchJob: { in: Scoped & { id: string; at: number }; out: number };
  /** Deletes a job with its slots and deliveries. */
  deleteJob: { in: Scoped & { id: string }; out: number };
  insertFire: { in: FireRow & OfJob; out: number };
  beginFire: { in: OfFire & { at: number }; out: number };
  nameFireRun: { in: OfFire & { runId: string }; out: number };
  endFire: {
    in: OfFire & Pick<FireRow, 'status' | 'reason' | 'error' | 'runId'> & { at: number };
    out: number;
  };
  findFire: { in: OfFire; out: FireRow | undefined };
  /** Those with a number below, newest first. */
  listFires: { in: OfJob & { below: number; limit: number }; out: FireRow[] };
  /** Those with a number below that have ended and have no delivery under way, oldest first behind `after`. */
  listOldFires: { in: OfJob & { after: number; below: number; limit: number }; out: FireRow[] };
  /** Deletes a slot with its deliveries. */
  deleteFire: { in: OfFire; out: number };
  insertDelivery: { in: DeliveryRow & OfJob; out: number };
  changeDelivery: {
    in: OfDelivery & Pick<DeliveryRow, 'status' | 'attempt' | 'error' | 'dueAt' | 'updatedAt'>;
    out: number;
  };
  findDelivery: { in: OfDelivery; out: DeliveryRow | undefined };
  listDeliveries: { in: OfFire; out: DeliveryRow[] };
}

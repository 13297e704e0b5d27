import type { JobDefinition, JobTarget } from '../../../machines/job.types.ts';
import { refuseOtherUsers } from '../../engine/commit.ts';
import { checkSessionKey, isOwnKey, ownKeyWords } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import type { Egress } from '../../tools/http.ts';
import type { ScheduleParts } from '../door.ts';
import { jobSession } from '../machine/job-run.ts';
import { invalidJob } from './definition.ts';

export interface NamedJob {
  tenant: number;
  id: string;
  user: string | null;
  definition: JobDefinition;
}

type Parts = Pick<ScheduleParts, 'store' | 'tenants' | 'files'>;

/**
 * Refuses a job whose runs could never begin, or whose results could never arrive, by what can be known before the first slot.
 *
 * @throws DetentError `INVALID_JOB`, `INVALID_SESSION`, `SESSION_OF_ANOTHER_USER`.
 */
export async function refuseUnreachable(parts: Parts, egress: Egress, job: NamedJob): Promise<void> {
  const { id, definition } = job;
  const { session = null, deliver, alert } = definition;
  if (session !== null) {
    refuseOwnSession(id, session);
    await refuseOthers(parts, job, session);
  }
  for (const [field, targets] of Object.entries({ delivery: deliver, alert }))
    for (const target of targets)
      try {
        await checkTarget(parts, egress, job, target);
      } catch (error) {
        if (!DetentError.is(error)) throw error;
        if (error.retryable) continue;
        throw invalidJob(`this ${field} could never arrive: ${error.message}`, field);
      }
}

/** Those that Detent names itself; but for the one that jobs of an earlier version share. */
function refuseOwnSession(jobId: string, session: string): void {
  checkSessionKey(session);
  if (isOwnKey(session) && session !== jobSession(jobId))
    throw new DetentError(
      'INVALID_SESSION',
      `sessions whose keys begin with ${ownKeyWords} are Detent's own: name another one, or ${JSON.stringify(jobSession(jobId))}`,
    );
}

async function checkTarget(parts: Parts, egress: Egress, job: NamedJob, target: JobTarget): Promise<void> {
  switch (target.kind) {
    case 'session':
      refuseOwnSession(job.id, target.session);
      return refuseOthers(parts, job, target.session);
    case 'webhook': {
      const { checkedUrl } = await import('../../tools/http.ts');
      checkedUrl(egress, target.url);
      return;
    }
    case 'file': {
      const { resolveResult } = await import('../deliver/file.ts');
      await resolveResult(parts, target.path, { tenant: job.tenant, slot: 0 });
    }
  }
}

async function refuseOthers({ store }: Parts, { tenant, user }: NamedJob, key: string): Promise<void> {
  const found = await store.query('findSession', { tenant, key });
  if (found) refuseOtherUsers(found, key, user);
}

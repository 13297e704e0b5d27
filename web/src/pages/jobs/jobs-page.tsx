import './jobs.css';
import type { PageProps } from '../../base/page-props.ts';
import { place } from '../../base/place.ts';
import { useRequest } from '../../data/use-request.ts';
import { Failure } from '../../parts/failure.tsx';
import { visible } from '../../parts/visible.ts';
import { JobForm } from './form/job-form.tsx';
import { JobList } from './job-list.tsx';
import { JobPage } from './job-page.tsx';
import { t } from './words.ts';

/** `/jobs` lists them, `/jobs/ID` shows one; `?form=new` and `?form=edit` open the form. */
export function JobsPage({ rest }: PageProps) {
  const [jobId] = rest;
  const form = place.value.query.get('form');
  return (
    <main class="page jobs-page">
      <div class="wrap">
        {jobId === undefined && (form === 'new' ? <JobForm job={null} /> : <JobList />)}
        {jobId !== undefined && <OneJob key={jobId} jobId={jobId} isEdited={form === 'edit'} />}
      </div>
    </main>
  );
}

function OneJob({ jobId, isEdited }: { jobId: string; isEdited: boolean }) {
  const { data: job, error, reload } = useRequest('cron.get', { jobId }, { everyMs: 3_000 });
  // A job that is gone has no page, also if it had one a moment ago.
  if (error !== undefined && (job === undefined || error.code === 'NO_JOB'))
    return (
      <>
        <h1>{visible(jobId)}</h1>
        <Failure error={error} retry={reload} />
      </>
    );
  if (job === undefined)
    return (
      <>
        <h1>{visible(jobId)}</h1>
        <p class="loading">{t.loading}</p>
      </>
    );
  return isEdited ? <JobForm job={job} /> : <JobPage job={job} reload={reload} />;
}

import { useState } from 'preact/hooks';
import type { JobView } from '#src/protocol/job-view.ts';
import { announce } from '../../base/announce.tsx';
import { go } from '../../base/place.ts';
import { asClientError, ask } from '../../data/use-request.ts';
import { AskDialog } from '../../parts/ask-dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { visible } from '../../parts/visible.ts';
import { t } from './words.ts';

interface ActionProps {
  job: JobView;
  isSmall?: boolean;
  reload(): void;
}

/** Runs a job once, now. */
export function RunNow({ job: { jobId }, isSmall = false, reload }: ActionProps) {
  const [isAsked, markAsked] = useState(false);
  const [error, fail] = useState<unknown>(null);
  const act = async () => {
    markAsked(true);
    try {
      await ask('cron.run', { jobId });
      announce(t.asked(jobId));
      fail(null);
    } catch (reason) {
      fail(reason);
    }
    markAsked(false);
    reload();
  };
  return (
    <>
      <button
        type="button"
        class={isSmall ? 'btn small' : 'btn primary'}
        disabled={isAsked}
        onClick={() => void act()}
      >
        {t.runNow}
        <span class="sr"> {jobId}</span>
      </button>
      {error !== null && <Failure error={asClientError(error)} />}
    </>
  );
}

/** Removes a job, once the person has said that it is meant. */
export function Remove({ job: { jobId } }: { job: JobView }) {
  const [isAsking, askFirst] = useState(false);
  const [error, fail] = useState<unknown>(null);
  const act = () => {
    ask('cron.remove', { jobId }).then(() => go('/jobs'), fail);
  };
  return (
    <>
      <button type="button" class="btn" onClick={() => askFirst(true)}>
        {t.remove}
      </button>
      {isAsking && (
        <AskDialog
          title={t.removeAsk(visible(jobId))}
          action={t.remove}
          isDanger
          onYes={act}
          onClose={() => askFirst(false)}
        >
          {t.removeWhat}
        </AskDialog>
      )}
      {error !== null && <Failure error={asClientError(error)} />}
    </>
  );
}

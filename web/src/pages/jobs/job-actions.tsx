import { useState } from 'preact/hooks';
import type { JobView } from '#src/protocol/views.ts';
import { announce } from '../../base/announce.tsx';
import { go } from '../../base/place.ts';
import { useAction } from '../../data/use-action.ts';
import { ask } from '../../data/use-request.ts';
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
  const { isBusy, error, act } = useAction();
  const run = async () => {
    if (await act(() => ask('cron.run', { jobId }))) announce(t.asked(jobId));
    reload();
  };
  return (
    <>
      <button type="button" class={isSmall ? 'btn small' : 'btn primary'} disabled={isBusy} onClick={run}>
        {t.runNow}
        <span class="sr"> {jobId}</span>
      </button>
      {error && <Failure error={error} />}
    </>
  );
}

/** Removes a job, once the person has said that it is meant. */
export function Remove({ job: { jobId } }: { job: JobView }) {
  const [isAsking, askFirst] = useState(false);
  const { error, act } = useAction();
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
          onYes={() => void act(() => ask('cron.remove', { jobId }).then(() => go('/jobs')))}
          onClose={() => askFirst(false)}
        >
          {t.removeWhat}
        </AskDialog>
      )}
      {error && <Failure error={error} />}
    </>
  );
}

import { useState } from 'preact/hooks';
import type { JobView } from '#src/protocol/views.ts';
import { may } from '../../data/connection.ts';
import { useAction } from '../../data/use-action.ts';
import { ask } from '../../data/use-request.ts';
import { Failure } from '../../parts/failure.tsx';
import { t } from './words.ts';

/** Pauses and resumes a job. What has no other time, or is broken, cannot be switched on. */
export function JobSwitch({ job, reload }: { job: JobView; reload(): void }) {
  const [meant, mean] = useState<boolean | null>(null);
  const { error, act } = useAction();
  const { jobId, state } = job;
  const isStill = state === 'paused' || state === 'disabled';
  const isSpent = state === 'finished' || state === 'failed';
  const isOn = meant ?? !(isStill || isSpent);
  const press = async () => {
    mean(!isOn);
    await act(() => ask(switchOf(state), { jobId }));
    mean(null);
    reload();
  };
  return (
    <>
      <button
        type="button"
        class="sw"
        role="switch"
        aria-checked={isOn}
        aria-label={t.isOn(jobId)}
        aria-busy={meant !== null}
        disabled={isSpent || !may('write')}
        title={isSpent ? t.spentMeans : isOn ? t.onMeans : t.offMeans}
        onClick={press}
      />
      {error && <Failure error={error} />}
    </>
  );
}

/** What the switch asks for. */
export function switchOf(state: JobView['state']): 'cron.pause' | 'cron.resume' | 'cron.enable' {
  if (state === 'paused') return 'cron.resume';
  return state === 'disabled' ? 'cron.enable' : 'cron.pause';
}

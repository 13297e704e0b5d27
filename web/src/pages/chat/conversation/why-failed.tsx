import { useRequest } from '../../../data/use-request.ts';
import { NextSteps } from '../../../parts/next-steps.tsx';
import { inOwnWords } from '../../../parts/why/finding.ts';
import { t } from '../words.ts';

/** Why a run failed, and what a person can do about it. */
export function WhyFailed({ runId }: { runId: string }) {
  const { data, isLoading } = useRequest('run.why', { runId });
  if (isLoading) return <p class="quiet">{t.readingWhy}</p>;
  const finding = data && inOwnWords(data);
  if (!finding) return null;
  return (
    <div class="quiet why">
      <p>{finding.summary}</p>
      <NextSteps finding={finding} />
    </div>
  );
}

import { useRequest } from '../../../data/use-request.ts';
import { NextSteps } from '../../../parts/next-steps.tsx';
import { inOwnWords } from '../../../parts/why/finding.ts';
import { t } from '../words.ts';

/** What a person can do about a run that failed. */
export function WhyFailed({ runId }: { runId: string }) {
  const { data, isLoading } = useRequest('run.why', { runId });
  if (isLoading) return <p class="quiet">{t.readingWhy}</p>;
  const finding = data && inOwnWords(data);
  if (!finding) return null;
  return (
    <div class="quiet why">
      {/* What happened stands above. */}
      <NextSteps finding={finding} isShort />
    </div>
  );
}

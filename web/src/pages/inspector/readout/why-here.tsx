import { useEffect, useRef } from 'preact/hooks';
import type { InspectedRun } from '../../../data/inspected-run.ts';
import { useRequest } from '../../../data/use-request.ts';
import { NextSteps } from '../../../parts/next-steps.tsx';
import { inOwnWords } from '../../../parts/why/finding.ts';
import { withoutMarks } from '../../../parts/without-marks.ts';
import { t } from './words.ts';

/** In words: why the run stands where it stands now, and what a person can do. */
export function WhyHere({ run }: { run: InspectedRun }) {
  const trace = run.trace.value;
  const { data, reload } = useRequest('run.why', { runId: run.runId });
  const seen = useRef(trace?.lastSeq);
  useEffect(() => {
    if (seen.current === trace?.lastSeq) return;
    seen.current = trace?.lastSeq;
    reload();
  }, [trace?.lastSeq]);
  const finding = data && inOwnWords(data);
  if (!finding) return null;
  return (
    <section>
      <h2>{t.advice}</h2>
      <p class="note">{withoutMarks(finding.summary)}</p>
      <ul class="why">
        {finding.details.map((line) => (
          <li key={line} class="dim">
            {line}
          </li>
        ))}
      </ul>
      <NextSteps finding={finding} />
    </section>
  );
}

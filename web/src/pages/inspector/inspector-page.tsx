import './inspector.css';
import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { PageProps } from '../../base/page-props.ts';
import { type InspectedRun, inspectedRun, isWorkflow } from '../../data/inspected-run.ts';
import { isLeft } from '../../data/runs.ts';
import { Failure } from '../../parts/failure.tsx';
import { askingNow, figuresOf } from './figures.ts';
import { RunHeader } from './header/run-header.tsx';
import { useSummary } from './header/use-summary.ts';
import { Panes } from './panes/panes.tsx';
import { LegalEvents } from './readout/legal-events.tsx';
import { Readout } from './readout/readout.tsx';
import { RunChart } from './run-chart.tsx';
import { TransitionTable } from './table/transition-table.tsx';
import { Timeline } from './timeline/timeline.tsx';
import { t } from './words.ts';

/** One run, transition by transition: table, statechart, readout and timeline, all at the same moment. */
export function InspectorPage({ rest }: PageProps) {
  const [runId = ''] = rest;
  const run = useMemo(() => inspectedRun(runId), [runId]);
  useEffect(() => run.follow(), [run]);
  if (run.trace.value !== null) return <RunPanes run={run} />;
  const { read, of } = run.progress.value;
  return (
    <main class="page wrap" aria-busy={run.error.value === null}>
      <h1>{t.title}</h1>
      {run.error.value !== null && <Failure error={run.error.value} />}
      {run.error.value === null && <p class="loading">{of > 0 ? t.loadingOf(read, of) : t.loading}</p>}
    </main>
  );
}

function RunPanes({ run }: { run: InspectedRun }) {
  const summary = useSummary(run);
  // The runs below a workflow ask: its own log does not say so.
  const isAsking = useSignal(false);
  isAsking.value = isWorkflow(run) && summary?.asks !== undefined;
  const isAtRest = useSignal(false);
  isAtRest.value = summary !== undefined && isLeft(summary);
  const figures = useComputed(() => {
    const own = run.trace.value && figuresOf(run.trace.value);
    if (own === null || run.trace.value?.ended) return own;
    const known = { ...own, isLeft: isAtRest.value };
    return isAsking.value ? askingNow(known) : known;
  });
  return (
    <Panes
      header={<RunHeader run={run} summary={summary} figures={figures} />}
      table={<TransitionTable run={run} figures={figures} />}
      chart={
        <>
          <RunChart run={run} figures={figures} />
          <LegalEvents run={run} />
        </>
      }
      readout={<Readout run={run} />}
      timeline={<Timeline run={run} figures={figures} />}
    />
  );
}

import { type ReadonlySignal, useComputed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { MachineDefinition, MachineLayout } from '#src/protocol/views.ts';
import type { Inspected } from '../../data/inspected.ts';
import type { InspectedRun } from '../../data/inspected-run.ts';
import { useRequest } from '../../data/use-request.ts';
import { Chart } from '../../parts/chart/chart.tsx';
import { noMarks } from '../../parts/chart/marks.ts';
import { Failure } from '../../parts/failure.tsx';
import { isDetents } from '../../parts/states.ts';
import { marksAt, transitionsByEdge } from './chart-marks.ts';
import type { Figures } from './figures.ts';
import { t } from './words.ts';

interface RunChartProps {
  run: InspectedRun;
  figures: ReadonlySignal<Figures | null>;
}

/** The statechart of the run's machine, in the version that the run has. */
export function RunChart({ run, figures }: RunChartProps) {
  const machine = useComputed(() => {
    const { name, version, known } = run.trace.value?.machine ?? { known: false };
    return known ? `${version} ${name}` : null;
  }).value;
  const [version = '', name = ''] = machine?.split(/ (.*)/s) ?? [];
  const input = useMemo(() => (machine === null ? null : { name, version: Number(version) }), [machine]);
  const layout = useRequest('machine.layout', input);
  const definition = useRequest('machine.get', input);
  const failed = layout.error ?? definition.error;
  if (failed) return <Failure error={failed} retry={layout.reload} />;
  if (machine === null) return <p class="loading">{t.noChart}</p>;
  if (!layout.data || !definition.data) return <p class="loading">{t.loadingChart}</p>;
  return <MarkedChart run={run} figures={figures} layout={layout.data} definition={definition.data} />;
}

interface MarkedChartProps {
  run: Inspected;
  figures: ReadonlySignal<Figures | null>;
  layout: MachineLayout;
  definition: MachineDefinition;
}

/** A chart with what the shown moment marks in it. */
export function MarkedChart({ run, figures, layout, definition }: MarkedChartProps) {
  const edges = useMemo(() => transitionsByEdge(definition), [definition]);
  const marks = useComputed(() => {
    const trace = run.trace.value;
    const known = figures.value;
    return trace && known ? marksAt(trace, known, edges, run.seq.value) : noMarks;
  });
  const showLast = (edge: string) => run.show(figures.peek()?.lastTaken(edge, run.seq.peek()) || null);
  const isOwn = isDetents(run.trace.value?.machine.name ?? '');
  return <Chart layout={layout} definition={definition} isOwn={isOwn} marks={marks} onEdge={showLast} />;
}

import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { useRequest } from '../../data/use-request.ts';
import { Chart } from '../../parts/chart/chart.tsx';
import { noMarks } from '../../parts/chart/marks.ts';
import { Failure } from '../../parts/failure.tsx';

const unmarked = signal(noMarks);

/** The chart of a workflow, as it is before any run. */
export function FlowChart({ id, version }: { id: string; version: number }) {
  const machine = useMemo(() => ({ name: `workflow:${id}`, version }), [id, version]);
  const layout = useRequest('machine.layout', machine);
  const definition = useRequest('machine.get', machine);
  const error = layout.error ?? definition.error;
  if (error) return <Failure error={error} retry={layout.reload} />;
  if (!layout.data || !definition.data) return null;
  return <Chart layout={layout.data} definition={definition.data} isOwn={false} marks={unmarked} />;
}

import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { useRequest } from '../../data/use-request.ts';
import { Failure } from '../failure.tsx';
import { Chart } from './chart.tsx';
import { noMarks } from './marks.ts';

const unmarked = signal(noMarks);

interface MachineChartProps {
  name: string;
  /** Default: that of new runs. */
  version?: number;
  /** The machine is one of Detent's. */
  isOwn: boolean;
}

/** The chart of a machine, as it is before any run. */
export function MachineChart({ name, version, isOwn }: MachineChartProps) {
  const machine = useMemo(() => (version === undefined ? { name } : { name, version }), [name, version]);
  const layout = useRequest('machine.layout', machine);
  const definition = useRequest('machine.get', machine);
  const error = layout.error ?? definition.error;
  if (error) return <Failure error={error} retry={layout.reload} />;
  if (!layout.data || !definition.data) return null;
  return <Chart layout={layout.data} definition={definition.data} isOwn={isOwn} marks={unmarked} />;
}

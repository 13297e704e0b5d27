import type { Detent, RunSignal } from '../../index.ts';

/** A transition of a workflow with its event in the names of the chart, which the log knows. */
export async function labelled({ runs }: Detent, runId: string, signal: RunSignal): Promise<RunSignal> {
  if (signal.type !== 'transition') return signal;
  const [logged] = await runs.events(runId, Number(signal.seq) - 1);
  return logged?.label === undefined ? signal : { ...signal, label: logged.label };
}

import type { RunSignal } from '../../index.ts';
import { type Port, readLog } from '../port/port.ts';

/** A transition of a workflow with its event in the names of the chart, which the log knows. */
export async function labelled({ ask }: Port, runId: string, signal: RunSignal): Promise<RunSignal> {
  if (signal.type !== 'transition') return signal;
  const { value: logged } = await readLog(ask, runId, Number(signal.seq) - 1).next();
  return logged?.label === undefined ? signal : { ...signal, label: logged.label };
}

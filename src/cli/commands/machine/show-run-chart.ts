import type { StateValue } from 'xstate';
import { leavesOf } from '../../../engine/machine.ts';
import { drawDot, drawMermaid } from '../../../inspect/draw.ts';
import { isWorkflowView } from '../../../protocol/views.ts';
import { readingPort } from '../../drive/with-detent.ts';
import type { Flags } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { onRun } from '../runs/follow.ts';

/** The chart of a run, marked where it stands. */
export async function showRunChart(named: string, flags: Flags, io: Io): Promise<number> {
  const options = await loadOptions(flags, io);
  const { view, chart } = await onRun(readingPort, options, named, async (port, runId) => {
    const { name, version } = (await port.ask('run.trace', { runId, afterSeq: 0, limit: 1 })).machine;
    const { mermaid: _, ...chart } = await port.ask('machine.get', { name, version });
    return { view: await port.show(runId), chart };
  });
  const at = isWorkflowView(view) ? leavesOf(view.workflow.state as StateValue) : view.states.slice(-1);
  io.say(`run ${view.runId} is in ${at.join(', ')}`);
  if (flags.format === 'json') io.json({ ...chart, at }, 2);
  else io.out(flags.format === 'dot' ? drawDot(chart, at) : drawMermaid(chart, at));
  return exit.ok;
}

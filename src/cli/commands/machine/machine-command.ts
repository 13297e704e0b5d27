import type { AnyStateMachine, StateValue } from 'xstate';
import { callMachine, callMachineVersion } from '../../../../machines/call.machine.ts';
import { jobMachine, jobMachineVersion } from '../../../../machines/job.machine.ts';
import { runMachine, runMachineVersion } from '../../../../machines/run.machine.ts';
import { takeoverMachine, takeoverMachineVersion } from '../../../../machines/takeover.machine.ts';
import { leavesOf } from '../../../engine/machine.ts';
import { drawDot, drawMermaid } from '../../../inspect/draw.ts';
import { isWorkflowView } from '../../../protocol/views.ts';
import { definitionOf } from '../../../runtime/chart.ts';
import { didYouMean } from '../../../text/wording.ts';
import { readingPort } from '../../drive/with-detent.ts';
import { type Flags, usage } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { onRun } from '../runs/follow.ts';

interface Shown {
  machine: AnyStateMachine;
  version: number;
}

const machines: ReadonlyMap<string, Shown> = new Map<string, Shown>([
  ['run', { machine: runMachine, version: runMachineVersion }],
  ['call', { machine: callMachine, version: callMachineVersion }],
  ['job', { machine: jobMachine, version: jobMachineVersion }],
  ['takeover', { machine: takeoverMachine, version: takeoverMachineVersion }],
]);

/** `detent machine show [run|call|job|takeover|RUN] --format mermaid|json|dot`. */
export async function machineCommand(
  [name = 'run']: readonly string[],
  flags: Flags,
  io: Io,
): Promise<number> {
  const { format } = flags;
  if (name === 'last' || name.startsWith('run_')) return showRunChart(name, flags, io);
  const { machine, version } = machineOf(name);
  if (format === 'json') io.json(machine.config, 2);
  else {
    const definition = definitionOf(name, version, machine);
    io.out(format === 'dot' ? drawDot(definition) : drawMermaid(definition));
  }
  return exit.ok;
}

function machineOf(name: string): Shown {
  const machine = machines.get(name);
  if (machine) return machine;
  const known = [...machines.keys()];
  throw usage(
    `there is no machine "${name}"${didYouMean(name, known)}; there are ${known.join(', ')}, and the chart of a run, by its id`,
  );
}

/** The chart of a run, marked where it stands. */
async function showRunChart(named: string, flags: Flags, io: Io): Promise<number> {
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

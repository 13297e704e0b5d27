import { DetentError } from '../../../protocol/error.ts';
import { isWorkflowView } from '../../../protocol/views.ts';
import { labelled } from '../../drive/labelled.ts';
import { isEnded, reportEnd, resumeCommand } from '../../drive/report-end.ts';
import { readingPort, withPort } from '../../drive/with-detent.ts';
import { type Port, readLog } from '../../port/port.ts';
import { type Flags, text, word } from '../../settings/flags.ts';
import { type CliOptions, loadOptions, requireDatabase } from '../../settings/load-options.ts';
import { outputOptions } from '../../settings/run-options.ts';
import { exit, exitCodeOfRun } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { RunPrinter } from '../../terminal/printer.ts';

/** `detent runs follow RUN`: shows a run that another process drives, until it ends. Changes nothing. */
export async function followRun(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const named = word(words, 0, 'RUN');
  const output = outputOptions(flags, io);
  const options = await loadOptions(flags, io);
  return onRun(readingPort, options, named, async (port, runId) => {
    const before = await port.show(runId);
    const printer = new RunPrinter({ ...output, since: Date.now(), before }, io);
    const stop = io.onInterrupt(() => {
      printer.breakOff();
      io.leave(exit.cancelled);
    });
    try {
      if (!isEnded(before) && before.status !== 'running') await reportEnd(port, before, output.quiet, io);
      for await (const signal of port.attach(runId).events)
        printer.signal(printer.isOfWorkflow ? await labelled(port, runId, signal) : signal);
      const view = await port.show(runId);
      await printer.end(view);
      await reportEnd(port, view, output.quiet, io);
      return exitCodeOfRun(view);
    } finally {
      stop();
    }
  });
}

/** `detent runs cancel RUN`. */
export async function cancelRun(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const named = word(words, 0, 'RUN');
  const reason = text(flags, 'reason');
  const options = await loadOptions(flags, io);
  return onRun(withPort, options, named, async (port, runId) => {
    const { cancelled } = await port.ask('agent.cancel', { runId, ...(reason !== undefined && { reason }) });
    const view = await port.show(runId);
    const { status, outcome } = view;
    const last =
      cancelled && isWorkflowView(view)
        ? (await Array.fromAsync(readLog(port.ask, runId))).at(-1)
        : undefined;
    const isWithoutChart = last?.event.withoutChart === true;
    if (flags.json) io.json({ runId, cancelled, status, outcome });
    else
      io.out(
        cancelled
          ? isEnded(view) || !isWorkflowView(view)
            ? `cancelled${isWithoutChart ? ', without its chart, which has changed: nothing was compensated' : ''}\n`
            : `its chart handles the cancellation, in ${view.states.at(-1)}: resume it with: ${resumeCommand(view)}\n`
          : `the run has already ended: ${status}${outcome && outcome !== status ? ` (${outcome})` : ''}\n`,
      );
    return exit.ok;
  });
}

/**
 * Works on the run of an agent that a word of the command line names.
 *
 * @param open `withPort`, or `readingPort` for a command that only reads
 * @throws DetentError as `findAgentRun`.
 */
export function onRun<T>(
  open: typeof withPort,
  options: CliOptions,
  named: string,
  work: (port: Port, runId: string) => Promise<T>,
): Promise<T> {
  requireDatabase(options, named);
  return open(options, async (port) => work(port, await findAgentRun(port, named)));
}

/**
 * The id of an agent's run that a person named, perhaps by its beginning. The run of a scheduled job has no model and no
 * conversation, and it moves by its schedule alone: of it there are only the events and their replay.
 *
 * @throws DetentError `NOT_FOUND`, `AMBIGUOUS_RUN`, `RUN_OF_JOB`.
 */
export async function findAgentRun({ ask }: Pick<Port, 'ask'>, named: string): Promise<string> {
  const { runId } = await ask('run.find', { word: named });
  if (!runId.startsWith('job_')) return runId;
  throw new DetentError(
    'RUN_OF_JOB',
    `${runId} is the schedule of a job, not a run of an agent; "detent cron list" shows the jobs, "detent cron history JOB" their runs, and "detent runs events ${runId}" its events`,
    { details: { runId } },
  );
}

import type { Detent } from '../../../index.ts';
import { DetentError } from '../../../protocol/error.ts';
import { isWorkflowView } from '../../../protocol/workflow-view.ts';
import { labelled } from '../../drive/labelled.ts';
import { isEnded, reportEnd, resumeCommand } from '../../drive/report-end.ts';
import { reading, withDetent } from '../../drive/with-detent.ts';
import { type Flags, text, word } from '../../settings/flags.ts';
import { loadOptions, requireDatabase } from '../../settings/load-options.ts';
import { outputOptions } from '../../settings/run-options.ts';
import { exit, exitCodeOfRun } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { RunPrinter } from '../../terminal/printer.ts';

/** `detent runs follow RUN`: shows a run that another process drives, until it ends. Changes nothing. */
export async function followRun(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const named = word(words, 0, 'RUN');
  const output = outputOptions(flags, io);
  const options = await loadOptions(flags, io);
  requireDatabase(options, named);
  return reading(options, async (detent) => {
    const runId = await findAgentRun(detent, named);
    const before = await detent.runs.show(runId);
    const printer = new RunPrinter({ ...output, since: Date.now(), before }, io);
    const stop = io.onInterrupt(() => {
      printer.breakOff();
      io.leave(exit.cancelled);
    });
    try {
      if (!isEnded(before) && before.status !== 'running') await reportEnd(detent, before, output.quiet, io);
      for await (const signal of detent.runs.attach(runId).events)
        printer.signal(printer.isOfWorkflow ? await labelled(detent, runId, signal) : signal);
      const view = await detent.runs.show(runId);
      printer.end(view);
      await reportEnd(detent, view, output.quiet, io);
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
  requireDatabase(options, named);
  return withDetent(options, async (detent) => {
    const runId = await findAgentRun(detent, named);
    const cancelled = await detent.runs.cancel(runId, reason);
    const view = await detent.runs.show(runId);
    const { status, outcome } = view;
    const last = cancelled && isWorkflowView(view) ? (await detent.runs.events(runId)).at(-1) : undefined;
    const isWithoutChart = last?.event.withoutChart === true;
    if (flags.json) io.json({ runId, cancelled, status, outcome });
    else
      io.out(
        cancelled
          ? isEnded(view) || !isWorkflowView(view)
            ? `cancelled${isWithoutChart ? ', without its chart, which has changed: nothing was undone' : ''}\n`
            : `its chart takes the cancellation, in ${view.states.at(-1)}: resume it with: ${resumeCommand(view)}\n`
          : `the run has already ended: ${status}${outcome && outcome !== status ? ` (${outcome})` : ''}\n`,
      );
    return exit.ok;
  });
}

/**
 * The id of an agent's run that a person named, perhaps by its beginning. The run of a scheduled job has no model and no
 * conversation, and it moves by its schedule alone: of it there are only the events and their replay.
 *
 * @throws DetentError `NOT_FOUND`, `AMBIGUOUS_RUN`, `RUN_OF_JOB`.
 */
export async function findAgentRun({ runs }: Pick<Detent, 'runs'>, named: string): Promise<string> {
  const runId = await runs.find(named);
  if (!runId.startsWith('job_')) return runId;
  throw new DetentError(
    'RUN_OF_JOB',
    `${runId} is the schedule of a job, not a run of an agent; "detent cron list" shows the jobs, "detent cron history JOB" their runs, and "detent runs events ${runId}" its events`,
    { details: { runId } },
  );
}

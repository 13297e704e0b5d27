import { labelled } from '../../drive/labelled.ts';
import { isEnded, reportEnd } from '../../drive/report-end.ts';
import { reading } from '../../drive/with-detent.ts';
import { type Flags, word } from '../../settings/flags.ts';
import { loadOptions, requireDatabase } from '../../settings/load-options.ts';
import { outputOptions } from '../../settings/run-options.ts';
import { exit, exitCodeOfRun } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { RunPrinter } from '../../terminal/printer.ts';
import { findAgentRun } from './find-agent-run.ts';

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

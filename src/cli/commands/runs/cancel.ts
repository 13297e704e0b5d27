import { isWorkflowView } from '../../../protocol/workflow-view.ts';
import { isEnded, resumeCommand } from '../../drive/report-end.ts';
import { withDetent } from '../../drive/with-detent.ts';
import { type Flags, text, word } from '../../settings/flags.ts';
import { loadOptions, requireDatabase } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { findAgentRun } from './find-agent-run.ts';

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

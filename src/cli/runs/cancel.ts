import { exit } from '../exit-codes.ts';
import { type Flags, text, word } from '../flags.ts';
import { loadOptions, requireDatabase } from '../load-options.ts';
import { out } from '../say.ts';
import { withDetent } from '../session.ts';

/** `detent runs cancel RUN`. */
export async function cancelRun(words: readonly string[], flags: Flags): Promise<number> {
  const runId = word(words, 0, 'RUN');
  const reason = text(flags, 'reason');
  const options = await loadOptions(flags);
  requireDatabase(options, runId);
  return withDetent(options, async (detent) => {
    const cancelled = await detent.runs.cancel(runId, reason);
    const { status, outcome } = await detent.runs.show(runId);
    if (flags.json) out(`${JSON.stringify({ runId, cancelled, status, outcome })}\n`);
    else
      out(
        cancelled
          ? 'cancelled\n'
          : `it had ended before: ${status}${outcome && outcome !== status ? ` (${outcome})` : ''}\n`,
      );
    return exit.ok;
  });
}

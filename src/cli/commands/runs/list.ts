import { reading } from '../../drive/with-detent.ts';
import { type Flags, text, wholeNumber } from '../../settings/flags.ts';
import { hasDatabase, loadOptions } from '../../settings/load-options.ts';
import { columns, statusCell, timeCell } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import { out, printable, say } from '../../terminal/say.ts';

/** `detent runs list`: newest first. */
export async function listRuns(_: readonly string[], flags: Flags): Promise<number> {
  const session = text(flags, 'session');
  const filter = {
    limit: wholeNumber(flags, 'limit', 1) ?? 100,
    ...(session !== undefined && { session }),
  };
  const options = await loadOptions(flags);
  const runs = hasDatabase(options) ? await reading(options, (detent) => detent.runs.list(filter)) : [];
  if (flags.json) out(`${JSON.stringify(runs)}\n`);
  else if (runs.length === 0) say('there are no runs here yet');
  else {
    const rows = runs.map(({ runId, status, updatedAt, sessionId }) => [
      runId,
      statusCell(status),
      timeCell(updatedAt),
      sessionId,
    ]);
    out(printable(columns(rows)));
  }
  return exit.ok;
}

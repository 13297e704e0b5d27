import { reading } from '../../drive/with-detent.ts';
import { type Flags, text, wholeNumber } from '../../settings/flags.ts';
import { hasDatabase, loadOptions } from '../../settings/load-options.ts';
import { columns, statusCell, timeCell } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

/** `detent runs list`: newest first. */
export async function listRuns(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const session = text(flags, 'session');
  const filter = {
    limit: wholeNumber(flags, 'limit', 1) ?? 100,
    ...(session !== undefined && { session }),
  };
  const options = await loadOptions(flags, io);
  const runs = hasDatabase(options) ? await reading(options, (detent) => detent.runs.list(filter)) : [];
  if (flags.json) io.json(runs);
  else if (runs.length === 0) io.say('there are no runs here yet');
  else {
    const rows = runs.map(({ runId, status, updatedAt, sessionId }) => [
      runId,
      statusCell(status),
      timeCell(updatedAt),
      sessionId,
    ]);
    io.out(columns(rows));
  }
  return exit.ok;
}

import type { RunReplay } from '../../../index.ts';
import { reading } from '../../drive/with-detent.ts';
import { type Flags, usage, word } from '../../settings/flags.ts';
import { hasDatabase, loadOptions, requireDatabase } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

/** `detent runs replay RUN | --all`. */
export async function replayRuns(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  if (flags.all ? words.length > 0 : words.length === 0)
    throw usage('"detent runs replay" takes a RUN or --all');
  const options = await loadOptions(flags, io);
  if (flags.all) {
    const replays = hasDatabase(options) ? await reading(options, (detent) => detent.runs.replayAll()) : [];
    return printReplays(replays, flags.json ? replays : null, io);
  }
  const named = word(words, 0, 'RUN');
  requireDatabase(options, named);
  const replay = await reading(options, async ({ runs }) => runs.replay(await runs.find(named)));
  return printReplays([replay], flags.json ? replay : null, io);
}

function printReplays(
  replays: readonly RunReplay[],
  json: RunReplay | readonly RunReplay[] | null,
  io: Io,
): number {
  if (json !== null) io.json(json);
  else if (replays.length === 0) io.say('there are no runs here yet');
  else for (const replay of replays) io.out(`${describe(replay)}\n`);
  return replays.some(({ diverged }) => diverged !== null) ? exit.failed : exit.ok;
}

function describe({ runId, folded, unfolded, diverged, error }: RunReplay): string {
  if (error) return `${runId}  cannot be folded: ${error.message}`;
  const skipped = unfolded > 0 ? `, ${unfolded} before a migration left out` : '';
  if (!diverged) return `${runId}  ${folded} transitions agree${skipped}`;
  const { seq, what, stored, folded: found } = diverged;
  const field = 'field' in diverged && diverged.field !== undefined ? ` ${diverged.field}` : '';
  return [
    `${runId}  differs at seq ${seq}: ${what}${field}${skipped}`,
    `  stored  ${stored}`,
    `  folded  ${found}`,
  ].join('\n');
}

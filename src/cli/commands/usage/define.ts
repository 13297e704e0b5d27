import { type Command, Option } from 'commander';
import type { PerformedBy } from '../command.ts';
import { examples, jsonOption, placeOptions } from '../options.ts';

export function defineUsage(program: Command, performedBy: PerformedBy): void {
  const command = program
    .command('usage')
    .summary('the cost of model calls, and what is left of budgets')
    .description(
      'The cost of model calls, added up from the ledger, which keeps every call even when its run is deleted; and what is spent, reserved and left of the shared budgets. Days are in UTC.',
    )
    .addOption(
      new Option('--by <WHAT>', 'day (default), model, session, user, run or purpose').choices([
        'day',
        'model',
        'session',
        'user',
        'run',
        'purpose',
      ]),
    )
    .option('--session <K>', 'only the conversation K')
    .option('--user <U>', 'only conversations of the user U')
    .option('--run <ID>', 'only this run')
    .option('--since <TIME>', 'from a day or time on (2026-01-31, 2026-01-31T08:00Z), or for so long (7d)')
    .option('--until <TIME>', 'up to a day (with that day), or a time')
    .option('--limit <N>', 'at most this many lines (default: 100), those used last; the total is of all');
  placeOptions(jsonOption(command));
  examples(
    command,
    'detent usage --since 7d',
    'detent usage --by model --since 2026-01-01 --until 2026-01-31',
    "detent usage --json | jq '.total.costUsd, .budgets'",
  );
  performedBy(command, async () => (await import('./usage-command.ts')).showUsage);
}

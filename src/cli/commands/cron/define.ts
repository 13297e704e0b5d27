import { type Command, Option } from 'commander';
import { cronDialects } from '../../../schedule/times/dialect.ts';
import type { PerformedBy } from '../command.ts';
import { examples, jsonOption } from '../options.ts';

export function defineCron(program: Command, performedBy: PerformedBy): void {
  const cron = program.command('cron').summary('work at set times');
  defineNext(cron, performedBy);
}

function defineNext(cron: Command, performedBy: PerformedBy): void {
  const command = cron
    .command('next')
    .argument('<EXPR...>', 'a cron expression, in quotes')
    .summary('the next times of a cron expression')
    .description(
      'The next times of a cron expression, in UTC, one a line; what it means is said on stderr. Without --dialect an expression with "?", "L", "W", "#" or seven fields is Quartz, any other unix.',
    )
    .addOption(
      new Option('--dialect <NAME>', `whose rules: ${cronDialects.join(', ')}`).choices(cronDialects),
    )
    .option('--tz <ZONE>', 'the clock that it is read by, as Europe/Berlin (default: UTC)')
    .option('--from <TIME>', 'times after this day or time (2026-01-31, 2026-01-31T08:00Z; default: now)')
    .option('--count <N>', 'at most this many (default: 5)');
  jsonOption(command);
  examples(
    command,
    'detent cron next "0 9 * * 1-5" --tz Europe/Berlin',
    'detent cron next "0 0 9 LW * ?" --from 2026-12-01 --count 3',
    'detent cron next "@weekly" --json',
  );
  performedBy(command, async () => (await import('./next.ts')).showNextTimes);
}

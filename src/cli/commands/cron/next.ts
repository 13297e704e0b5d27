import { cronDialects } from '../../../../machines/job.types.ts';
import { checkCron, inWords, nextTimes } from '../../../schedule/times.ts';
import { type Flags, oneOf, text, usage, wholeNumber, word } from '../../settings/flags.ts';
import { moment } from '../../settings/moment.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

const defaultCount = 5;
const maxCount = 10_000;

/** `detent cron next EXPR [--dialect D] [--tz ZONE] [--from TIME] [--count N]`: needs no database. */
export async function showNextTimes(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const expression = word(words, 0, 'EXPR');
  if (words.length > 1)
    throw usage(
      'put the expression in quotes, as in: detent cron next "0 9 * * 1-5" (the shell expands "*" to file names)',
    );
  const schedule = checkCron(expression, {
    dialect: oneOf(flags, 'dialect', cronDialects),
    timeZone: text(flags, 'tz') ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  const count = wholeNumber(flags, 'count', 1) ?? defaultCount;
  if (count > maxCount) throw usage(`--count is at most ${maxCount}, not "${count}"`);
  const now = Date.now();
  const from = moment(flags, 'from', 'start', now) ?? now;
  const next = nextTimes(schedule, { from, count }).map(inSeconds);
  const { dialect, timeZone } = schedule;
  const meaning = inWords(schedule);
  if (flags.json) io.json({ expression: schedule.expression, dialect, timeZone, words: meaning, next });
  else {
    io.say(`${dialect}: ${meaning}`);
    for (const time of next) io.out(`${time}\n`);
    if (next.length < count)
      io.say(next.length === 0 ? 'no time until the end of 2199' : 'no more until the end of 2199');
  }
  return exit.ok;
}

function inSeconds(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

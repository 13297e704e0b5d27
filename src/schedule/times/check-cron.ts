import { type CronDialect, cronDialects } from '../../../machines/job.types.ts';
import { DetentError } from '../../protocol/error.ts';
import { oneOf, shown } from '../../protocol/json.ts';
import type { CronFields } from './cron-fields.ts';
import type { Fail } from './read-field.ts';
import { readQuartz } from './read-quartz.ts';
import { readUnix } from './read-unix.ts';

const maxChars = 500;

/**
 * Reads a cron expression.
 *
 * @throws DetentError `INVALID_CRON`, whose message says which field is wrong, why, and what to write.
 */
export function readCron(expression: unknown, named?: unknown): { dialect: CronDialect; fields: CronFields } {
  if (typeof expression !== 'string' || expression.trim() === '' || expression.length > maxChars)
    throw invalidCron(
      expression,
      null,
      `is not a cron expression: write one like "0 9 * * 1-5", of at most ${maxChars} characters`,
    );
  const dialect =
    named === undefined ? dialectOf(expression) : oneOf(named, cronDialects, 'dialect', 'INVALID_CRON');
  const fail: Fail = (why) => {
    const other =
      named === undefined && dialect === 'quartz'
        ? ' (read as Quartz because of "?", "L", "W", "#" or seven fields, as no dialect was named)'
        : '';
    throw invalidCron(expression, dialect, `is not a ${titles[dialect]} expression: ${why}${other}`);
  };
  const texts = expression.trim().split(/\s+/);
  return { dialect, fields: dialect === 'quartz' ? readQuartz(texts, fail) : readUnix(texts, dialect, fail) };
}

const titles: Readonly<Record<CronDialect, string>> = {
  unix: 'unix cron',
  quartz: 'Quartz cron',
  robfig: 'robfig cron',
};

function invalidCron(expression: unknown, dialect: CronDialect | null, why: string): DetentError {
  return new DetentError('INVALID_CRON', `${shown(expression)} ${why}`, { details: { dialect } });
}

const names =
  /(?<![A-Z])(?:JAN(?:UARY)?|FEB(?:RUARY)?|MAR(?:CH)?|APR(?:IL)?|MAY|JUNE?|JULY?|AUG(?:UST)?|SEP(?:T(?:EMBER)?)?|OCT(?:OBER)?|NOV(?:EMBER)?|DEC(?:EMBER)?|SUN(?:DAY)?|MON(?:DAY)?|TUE(?:S(?:DAY)?)?|WED(?:NESDAY)?|THU(?:R(?:S(?:DAY)?)?)?|FRI(?:DAY)?|SAT(?:URDAY)?)(?=L?(?![A-Z]))/g;

/**
 * The dialect of an expression that comes without one: Quartz with `?`, `L`, `W`, `#` or seven fields, else unix. The
 * letters of names (`JUL`, `WED`, `@daily`) are no marks; that of `FRIL`, the last Friday, is one.
 */
export function dialectOf(expression: string): 'unix' | 'quartz' {
  const text = expression.trim().toUpperCase();
  if (text.startsWith('@')) return 'unix';
  const hasMark = /[?LW#]/.test(text.replace(names, ''));
  return hasMark || text.split(/\s+/).length === 7 ? 'quartz' : 'unix';
}

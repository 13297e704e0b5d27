import type { JobView } from '#src/protocol/views.ts';
import { dayAndTime, readersTimeZone } from '../../base/format.ts';
import { language } from '../../base/language.ts';
import { inChinese } from './chinese-schedule.ts';
import { t } from './words.ts';

type Scheduled = Pick<JobView, 'words' | 'parts' | 'schedule'>;

/** A schedule in the language of the page; its clock is named where it is not the reader's. */
export function scheduleText({ words, parts, schedule }: Scheduled): string {
  if (schedule.kind === 'at') return t.once(dayAndTime(schedule.atMs));
  const own = schedule.kind === 'cron' ? schedule.timeZone : null;
  const written = language.value === 'zh-CN' && parts ? inChinese(parts) : english(words);
  // As the page writes times of day.
  const text = written.replaceAll(/\b0(\d:\d\d)/g, '$1');
  const isReaders = own === null || own === readersTimeZone();
  return isReaders ? text : `${text}${language.value === 'en' ? ', ' : '，'}${t.zone(own)}`;
}

function english(words: string): string {
  const text = words.replace(/ \([^()]*\)$/, '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What a person wrote: `0 9 * * 1-5`. */
export function expressionOf({ schedule }: Pick<JobView, 'schedule'>): string | null {
  return schedule.kind === 'cron' ? schedule.expression : null;
}

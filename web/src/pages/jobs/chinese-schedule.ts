/**
 * A schedule in Chinese, from its words in English, whose grammar is small and closed (`inWords` of the scheduler): the times of a
 * day, then the days, months and years. Null for words that do not follow it.
 */
export function inChinese(words: string): string | null {
  const text = words.replace(/ \([^()]*\)$/, '');
  const reader = new Reader(text);
  const time = timeOf(reader);
  if (time === null) return null;
  const parts = { days: '', months: '', years: '' };
  while (!reader.isAtEnd) {
    if (!reader.take(/, /)) return null;
    const years = yearsOf(reader);
    const months = years === null ? monthsOf(reader) : null;
    const days = years === null && months === null ? daysOf(reader) : null;
    if (years !== null) parts.years = years;
    else if (months !== null) parts.months = months;
    else if (days !== null) parts.days = days;
    else return null;
  }
  const when = [parts.years, parts.months].filter(Boolean).join(' ');
  const head = when === '' ? parts.days : [when, parts.days].filter(Boolean).join('，');
  if (head === '') return time;
  return /^\d/.test(time) ? `${head} ${time}` : `${head}，${time}`;
}

/** Reads a text from its beginning on. */
class Reader {
  #rest: string;

  constructor(text: string) {
    this.#rest = text;
  }

  get isAtEnd(): boolean {
    return this.#rest === '';
  }

  /** Takes what fits at the present place. */
  take(pattern: RegExp): RegExpExecArray | null {
    const found = new RegExp(`^(?:${pattern.source})`).exec(this.#rest);
    if (found) this.#rest = this.#rest.slice(found[0].length);
    return found;
  }
}

const clock = /\d\d:\d\d(?::\d\d)?/.source;
const number = /\d+(?: to \d+)?/.source;
const numbers = `${number}(?:(?:, | and )${number})*`;
const days = 'Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday';
const dayRange = `(?:${days})(?: to (?:${days}))?`;
const months = 'January|February|March|April|May|June|July|August|September|October|November|December';
const monthRange = `(?:${months})(?: to (?:${months}))?`;

function timeOf(reader: Reader): string | null {
  const span = reader.take(
    /every (day|millisecond|(?:\d+ [a-z]+ ){1,4}\d+ [a-z]+|\d+ (?:days?|milliseconds?))$/,
  );
  if (span) return span[1] === 'day' ? '每天' : `每 ${spanOf(span[1] ?? '')}`;
  const at = reader.take(new RegExp(`at (${clock}(?:(?:, | and )${clock})*)`));
  if (at) return listed(at[1]);
  const hours = reader.take(
    new RegExp(`every (?:hour|(\\d+) hours)(?: from (${clock})(?: to (${clock}))?)?(?![a-z])`),
  );
  if (hours) {
    const [, step, from, to] = hours;
    const every = step === undefined ? '每小时' : `每 ${step} 小时`;
    if (from === undefined) return every;
    return to === undefined ? `从 ${from} 起${every}` : `${from} 至 ${to}，${every}`;
  }
  return minutesOf(reader) ?? secondsOf(reader);
}

function minutesOf(reader: Reader): string | null {
  const every = reader.take(/every (?:minute|(\d+) minutes)(?![a-z])/);
  if (every) {
    const step = every[1] === undefined ? '每分钟' : `每 ${every[1]} 分钟`;
    const hours = within(reader, 'hour');
    return hours === null ? step : `${hours}，${step}`;
  }
  const listedMinutes = reader.take(new RegExp(`at (${listOf('minute')}) of (every hour|${listOf('hour')})`));
  if (!listedMinutes) return null;
  const [, list = '', hours = ''] = listedMinutes;
  const ofHours = hours === 'every hour' ? '每小时' : placesOf(hours, 'hour');
  return `${ofHours}的${placesOf(list, 'minute')}`;
}

function secondsOf(reader: Reader): string | null {
  const every = reader.take(/every (?:second|(\d+) seconds)(?![a-z])/);
  const list = every ? null : reader.take(new RegExp(`at (${listOf('second')}) of every minute`));
  if (!every && !list) return null;
  const step = every?.[1] === undefined ? '每秒' : `每 ${every[1]} 秒`;
  const seconds = list ? `每分钟的${placesOf(list[1] ?? '', 'second')}` : step;
  const places = [within(reader, 'minute'), within(reader, 'hour')].reverse().filter((one) => one !== null);
  return [...places, seconds].join('，');
}

function spanOf(words: string): string {
  const units: Readonly<Record<string, string>> = {
    day: '天',
    hour: '小时',
    minute: '分钟',
    second: '秒',
    millisecond: '毫秒',
  };
  if (words === 'millisecond') return '毫秒';
  return [...words.matchAll(/(\d+) ([a-z]+?)s?(?= |$)/g)]
    .map(([, n, unit = '']) => `${n} ${units[unit]}`)
    .join(' ');
}

/** `minutes 1, 5 and 7`, `every 2nd minute from 1 to 59`. */
function listOf(unit: string): string {
  return `every \\d+(?:st|nd|rd|th) ${unit} from \\d+ to \\d+|${unit}s? ${numbers}`;
}

function within(reader: Reader, unit: 'minute' | 'hour'): string | null {
  const found = reader.take(new RegExp(`, in (${listOf(unit)})`));
  return found ? placesOf(found[1] ?? '', unit) : null;
}

const placeWords = {
  second: ['第 ', ' 秒', '秒'],
  minute: ['第 ', ' 分', '分钟'],
  hour: ['', ' 时', '小时'],
} as const;

function placesOf(list: string, unit: keyof typeof placeWords): string {
  const [before, after, each] = placeWords[unit];
  const steps = /^every (\d+)\w+ \w+ from (\d+) to (\d+)$/.exec(list);
  if (steps) return `${before}${steps[2]} 至 ${steps[3]}${after}，每 ${steps[1]} ${each}`;
  return `${before}${listed(list.replace(/^[a-z]+ /, ''))}${after}`;
}

function listed(list = ''): string {
  return list.replaceAll(/, | and /g, '、').replaceAll(' to ', ' 至 ');
}

const weekday: Readonly<Record<string, string>> = {
  Monday: '周一',
  Tuesday: '周二',
  Wednesday: '周三',
  Thursday: '周四',
  Friday: '周五',
  Saturday: '周六',
  Sunday: '周日',
};
const ordinals: Readonly<Record<string, string>> = {
  first: '第一个',
  second: '第二个',
  third: '第三个',
  fourth: '第四个',
  fifth: '第五个',
  last: '最后一个',
};

function daysOf(reader: Reader): string | null {
  if (reader.take(/every day/)) return '每天';
  const found: string[] = [];
  for (;;) {
    const one = oneDay(reader);
    if (one === null) return null;
    found.push(one);
    if (!reader.take(/ or |, (?=on |\d+ days? before)/)) return found.join('或');
  }
}

function oneDay(reader: Reader): string | null {
  const list = reader.take(new RegExp(`(?:on )?(${dayRange}(?:(?:, | and | or )${dayRange})*)`));
  if (list)
    return (list[1] ?? '')
      .replaceAll(/[A-Z]\w+/g, (day) => weekday[day] ?? day)
      .replaceAll(/, | and | or /g, '、')
      .replaceAll(' to ', '至');
  const ofMonth = reader.take(new RegExp(`on (${listOf('day')}) of the month`));
  if (ofMonth) {
    const steps = /^every (\d+)\w+ day from (\d+) to (\d+)$/.exec(ofMonth[1] ?? '');
    if (steps) return `每月 ${steps[2]} 至 ${steps[3]} 日中每 ${steps[1]} 天`;
    return `每月 ${listed((ofMonth[1] ?? '').replace(/^days? /, ''))} 日`;
  }
  const nearest = reader.take(
    /on the weekday nearest to (?:day (\d+) of the month|(\d+) days? before the last day of the month)/,
  );
  if (nearest)
    return nearest[1] === undefined
      ? `每月离最后一天前 ${nearest[2]} 天最近的工作日`
      : `每月离 ${nearest[1]} 日最近的工作日`;
  const before = reader.take(/(\d+) days? before the last day of the month/);
  if (before) return `每月最后一天的前 ${before[1]} 天`;
  if (reader.take(/on the last day of the month/)) return '每月最后一天';
  if (reader.take(/on the last weekday of the month/)) return '每月最后一个工作日';
  const nth = reader.take(new RegExp(`on the (first|second|third|fourth|fifth|last) (${days}) of the month`));
  return nth ? `每月${ordinals[nth[1] ?? '']}${weekday[nth[2] ?? '']}` : null;
}

function monthsOf(reader: Reader): string | null {
  const found = reader.take(new RegExp(`in (${monthRange}(?:(?:, | and )${monthRange})*)`));
  if (!found) return null;
  const names = months.split('|');
  return (found[1] ?? '')
    .replaceAll(/[A-Z]\w+/g, (name) => `${names.indexOf(name) + 1} 月`)
    .replaceAll(/, | and /g, '、')
    .replaceAll(' to ', '至 ');
}

function yearsOf(reader: Reader): string | null {
  const steps = reader.take(/every (\d+) years from (\d+) to (\d+)/);
  if (steps) return `${steps[2]} 至 ${steps[3]} 年每 ${steps[1]} 年`;
  const list = reader.take(new RegExp(`in (${numbers})(?=$|,)`));
  return list ? `${listed(list[1])} 年` : null;
}

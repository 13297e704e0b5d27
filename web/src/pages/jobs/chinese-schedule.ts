import type { DayPart, NumberList, Run, ScheduleParts, TimePart } from '#src/protocol/methods.ts';

/** A schedule in Chinese: `周一至周五 06:00`, `1 月至 3 月，每月 1、15 日 09:00`. */
export function inChinese({ time, days, months, years }: ScheduleParts): string {
  const when = [
    ...(years ? [yearsOf(years)] : []),
    ...(months.length > 0 ? [runsOf(months, (month) => `${month} 月`, '至 ')] : []),
  ].join(' ');
  const named = days.length > 0 ? days.map(dayOf).join('或') : time.kind === 'at' ? '每天' : '';
  const head = [when, named].filter((part) => part !== '').join('，');
  const at = timeOf(time);
  if (head === '') return at;
  return /^\d/.test(at) ? `${head} ${at}` : `${head}，${at}`;
}

const units = { day: '天', hour: '小时', minute: '分钟', second: '秒', millisecond: '毫秒' } as const;
const every = (count: number, unit: keyof typeof units) =>
  count === 1 ? `每${units[unit]}` : `每 ${count} ${units[unit]}`;

function timeOf(time: TimePart): string {
  switch (time.kind) {
    case 'span': {
      const [[count, unit] = [0, 'day'] as const, ...more] = time.span;
      if (more.length === 0) return every(count, unit);
      return `每 ${time.span.map(([n, one]) => `${n} ${units[one]}`).join(' ')}`;
    }
    case 'at':
      return time.times.join('、');
    case 'hours': {
      const { step, from, to } = time;
      if (from === null) return every(step, 'hour');
      return to === null ? `从 ${from} 起${every(step, 'hour')}` : `${from} 至 ${to}，${every(step, 'hour')}`;
    }
    case 'within': {
      const { unit, at, minutes, hours } = time;
      const [ofHours, ofMinutes] = [hours && placesOf(hours, 'hour'), minutes && placesOf(minutes, 'minute')];
      const within = [ofHours, ofMinutes].filter((one) => one !== null);
      if ('every' in at) return [...within, every(at.every, unit)].join('，');
      if (unit === 'minute') return `${ofHours ?? '每小时'}的${placesOf(at, unit)}`;
      return [...within, `每分钟的${placesOf(at, unit)}`].join('，');
    }
  }
}

const placeWords = { second: ['第 ', ' 秒'], minute: ['第 ', ' 分'], hour: ['', ' 时'] } as const;

function placesOf(list: NumberList, unit: keyof typeof placeWords): string {
  const [before, after] = placeWords[unit];
  if ('runs' in list) return `${before}${runsOf(list.runs)}${after}`;
  return `${before}${list.first} 至 ${list.last}${after}，${every(list.step, unit)}`;
}

const weekday = (day: number) => `周${'一二三四五六日'[day - 1]}`;
const ordinals = {
  1: '第一个',
  2: '第二个',
  3: '第三个',
  4: '第四个',
  5: '第五个',
  last: '最后一个',
} as const;

function dayOf(day: DayPart): string {
  switch (day.kind) {
    case 'weekdays':
      return runsOf(day.days, weekday, '至');
    case 'days':
      return 'runs' in day.days
        ? `每月 ${runsOf(day.days.runs)} 日`
        : `每月 ${day.days.first} 至 ${day.days.last} 日中每 ${day.days.step} 天`;
    case 'beforeLast':
      return day.count === 0 ? '每月最后一天' : `每月最后一天的前 ${day.count} 天`;
    case 'nearDay':
      return `每月离 ${day.day} 日最近的工作日`;
    case 'nearBeforeLast':
      return day.count === 0 ? '每月最后一个工作日' : `每月离最后一天前 ${day.count} 天最近的工作日`;
    case 'nth':
      return `每月${ordinals[day.nth]}${weekday(day.day)}`;
  }
}

function yearsOf(years: NumberList): string {
  if ('runs' in years) return `${runsOf(years.runs)} 年`;
  return `${years.first} 至 ${years.last} 年每 ${years.step} 年`;
}

function runsOf(runs: readonly Run[], word: (value: number) => string = String, to = ' 至 '): string {
  return runs
    .map(([first, last]) => (first === last ? word(first) : `${word(first)}${to}${word(last)}`))
    .join('、');
}

import { asTimezone } from './cities.ts';
import type { DemoCall, Rule } from './rule.ts';

const english =
  /^(?:what time is it|what['’]?s the time|what is the time|the (?:current )?time|(?:the )?current (?:date|time)|what the time is|what time it is|time|date|what is the date|what['’]s the date|what day is it|what day is today|what is today['’]s date|what['’]s today['’]s date|today['’]s date|the date)(?: right now| now| today)?(?: (?:now )?in (.{1,40}?))?(?: right now| now| today)?$/i;

const chinese =
  /^(?:现在|当前|此刻|今天|今日)?\s?(.{0,20}?)\s?(?:的|现在|当前|今天)?(?:是)?(?:几点了?|几点钟了?|什么时间|什么时候了|时间|星期几|周几|礼拜几|几号|几月几[号日]|日期|日期是什么|多少号)$/;

/** A noun alone is no question: "时间", "日期" need 现在, 今天 or a place before them. */
const bareNoun = /^(?:的|是)?(?:时间|日期|什么时间)$/;

/** "what time is it in Tokyo", "today's date", "现在几点", "今天星期几". */
export const datetimeRule: Rule = {
  tool: 'datetime',
  changes: false,
  example: { en: 'what time is it in Tokyo?', zh: '东京现在几点？' },
  match({ text }): DemoCall | null {
    const found = english.exec(text) ?? (bareNoun.test(text) ? null : chinese.exec(text));
    if (!found) return null;
    const place = found[1] ?? '';
    if (place === '') return { tool: 'datetime', args: {} };
    const timezone = asTimezone(place);
    return timezone === null ? null : { tool: 'datetime', args: { timezone } };
  },
  title: (_args, language) => (language === 'zh' ? '现在：' : 'Now: '),
};

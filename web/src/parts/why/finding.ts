import type { Output } from '#src/client/index.ts';
import { fill, type Sentence, type Wording } from '#src/protocol/views.ts';
import { dayAndTime, duration } from '../../base/format.ts';
import { language } from '../../base/language.ts';
import { chinese } from './chinese.ts';

export type Finding = Pick<Output<'run.why'>, 'sessionId' | 'summary' | 'details' | 'next'>;

/** What `why` says, in the language of the page. */
export function inOwnWords({ sessionId, summary, details, next, sentences }: Output<'run.why'>): Finding {
  if (language.value === 'en') return { sessionId, summary, details, next };
  return {
    sessionId,
    summary: inChinese(sentences.summary) ?? summary,
    details: details.map((line, i) => inChinese(sentences.details[i]) ?? line),
    next: next.map((advice, i) => ({ ...advice, text: inChinese(sentences.next[i]) ?? advice.text })),
  };
}

/** Undefined for a sentence of a newer Detent, which the page has no words for. */
function inChinese(sentence: Sentence | undefined): string | undefined {
  if (!sentence || !Object.hasOwn(chinese, sentence.code)) return undefined;
  return fill(chinese[sentence.code] ?? '', sentence.params, wording);
}

const statuses: Readonly<Record<string, string>> = {
  queued: '排队中',
  unstarted: '未开始',
  running: '运行中',
  waiting: '等待中',
  decided: '已决定',
  interrupted: '已中断',
  done: '已完成',
  failed: '失败',
  cancelled: '已取消',
};

const wording: Wording = {
  duration,
  time: (at) => dayAndTime(at, true),
  due: (ms) => (ms > 0 ? `${duration(ms)}后` : '现在'),
  status: (status) => statuses[status] ?? status,
  separator: '；',
  sentence: (sentence) => inChinese(sentence) ?? sentence.code,
};

import { signal } from '@preact/signals';
import type { Output } from '#src/client/index.ts';
import { fill, hasValues, type Sentence, type Wording } from '#src/protocol/views.ts';
import { dayAndTime, duration } from '../../base/format.ts';
import { language } from '../../base/language.ts';
import { visible } from '../visible.ts';
import { t } from './words.ts';

export type Finding = Pick<Output<'run.why'>, 'sessionId' | 'summary' | 'details' | 'next'>;

/** Of several templates of one code, the first counts whose values are all there; the last needs none but `message`. */
type Templates = Readonly<Record<string, string | readonly string[]>>;

/** Loaded when a page in Chinese first shows what `why` says. */
const chinese = signal<Templates | null>(null);

export async function loadChinese(): Promise<void> {
  const [{ chinese: sentences }, { chineseErrors }] = await Promise.all([
    import('./chinese.ts'),
    import('./chinese-errors.ts'),
  ]);
  chinese.value ??= { ...sentences, ...chineseErrors };
}

/** What `why` says, in the language of the page; null until its words are loaded. */
export function inOwnWords(answer: Output<'run.why'>): Finding | null {
  const { sessionId, summary, details, next, sentences } = answer;
  if (language.value === 'en')
    return {
      sessionId,
      summary: withOwnTimes(summary, sentences.summary),
      details: details.map((line, i) => withOwnTimes(line, sentences.details[i])),
      next: next.map((advice, i) => ({ ...advice, text: withOwnTimes(advice.text, sentences.next[i]) })),
    };
  const templates = loadedChinese();
  if (templates === null) return null;
  return {
    sessionId,
    summary: inChinese(templates, sentences.summary) ?? summary,
    details: details.map((line, i) => inChinese(templates, sentences.details[i]) ?? line),
    next: next.map((advice, i) => ({
      ...advice,
      text: inChinese(templates, sentences.next[i]) ?? advice.text,
    })),
  };
}

/** The gateway writes times for every reader: in UTC. What is quoted keeps its own. */
function withOwnTimes(text: string, sentence: Sentence | undefined): string {
  return timesIn(sentence).reduce(
    (words, at) => words.replaceAll(new Date(at).toISOString(), dayAndTime(at, true)),
    text,
  );
}

function timesIn(sentence: Sentence | undefined): number[] {
  return Object.values(sentence?.params ?? {}).flatMap((value) =>
    [value].flat().flatMap((one) => {
      if (typeof one === 'object') return timesIn(one);
      // A number may be one that no clock knows.
      return typeof one === 'number' && Math.abs(one) <= 8.64e15 ? [one] : [];
    }),
  );
}

/** Words of a view that may have their reason by code. */
interface Reasoned {
  why: string;
  reason?: Sentence | undefined;
}

/** An error, in the language of the page: by what its message says, else by its code and what it is about. */
export function errorInWords({
  code,
  message,
  details = {},
  reason = { code: codeIn(code, details), params: { ...factsOf(details), message } },
}: {
  code: string;
  message: string;
  details?: Readonly<Record<string, unknown>>;
  reason?: Sentence | undefined;
}): string {
  return reasonInWords({ why: message, reason });
}

/** Some errors have words of their own for a field. */
function codeIn(code: string, { field }: Readonly<Record<string, unknown>>): string {
  const own = `${code}.${field}`;
  return chinese.value && Object.hasOwn(chinese.value, own) ? own : code;
}

/** What the details of an error name. */
function factsOf(details: Readonly<Record<string, unknown>>): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(details).flatMap(([name, value]): [string, string | number][] => {
      if (typeof value === 'number' || (typeof value === 'string' && value !== '')) return [[name, value]];
      return Array.isArray(value) && value.length > 0 ? [[name, value.map(String).join('、')]] : [];
    }),
  );
}

/** The same for what keeps the words: it waits until they are loaded. */
export async function errorToKeep(error: Parameters<typeof errorInWords>[0]): Promise<string> {
  if (language.value !== 'en') await loadChinese().catch(() => {});
  return errorInWords(error);
}

/** Why a file cannot be used as a skill, in the language of the page. */
export function problemsInWords({
  reasons,
  sentences,
}: {
  reasons: readonly string[];
  sentences: readonly Sentence[];
}): string {
  return reasons.map((why, i) => reasonInWords({ why, reason: sentences[i] })).join('; ');
}

/** Why a call asks or a tool is off, in the language of the page. */
export function reasonInWords({ why, reason }: Reasoned): string {
  // The rule that most calls ask by, in shorter words.
  const { code, params: { tool, over } = {} } = reason ?? {};
  if (typeof tool === 'string' && over === undefined && code === 'tool_asks')
    return t.asksByDefault(visible(tool));
  if (language.value === 'en') return visible(why);
  const templates = loadedChinese();
  return visible((templates && inChinese(templates, reason)) ?? why);
}

function loadedChinese(): Templates | null {
  // Without them, English is better than nothing.
  if (chinese.value === null) void loadChinese().catch(() => (chinese.value = {}));
  return chinese.value;
}

/** Undefined for a sentence of a newer Detent, which the page has no words for. */
function inChinese(templates: Templates, sentence: Sentence | undefined): string | undefined {
  if (!sentence || !Object.hasOwn(templates, sentence.code)) return undefined;
  const all = [templates[sentence.code] ?? ''].flat();
  const template = all.find((one) => hasValues(one, sentence.params)) ?? all.at(-1) ?? '';
  return fill(template, sentence.params, {
    ...wording,
    sentence: (inner) => inChinese(templates, inner) ?? inner.code,
  });
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

const wording: Omit<Wording, 'sentence'> = {
  duration,
  time: (at) => dayAndTime(at, true),
  due: (ms) => (ms > 0 ? `${duration(ms)}后` : ms > -1_000 ? '现在' : `已过期${duration(-ms)}`),
  status: (status) => statuses[status] ?? status,
  separator: '；',
};

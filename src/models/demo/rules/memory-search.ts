import { isObject, parseJson } from '../../../protocol/json.ts';
import type { DemoCall, Rule } from './rule.ts';

/** Two passages of at most 700 characters fit into an answer of the demo. */
const maxPassages = 2;

const topics = [
  /^(?:what|anything) (?:do|can) you (?:remember|recall) about (.{1,200})$/i,
  /^(?:do you )?(?:remember|recall) (?:anything|something) about (.{1,200})$/i,
  /^what did (?:i|we) (?:say|tell you|note|write down) about (.{1,200})$/i,
  /^(?:search|look in|look into) (?:the |your |my )?memory(?: for| about)? (.{1,200})$/i,
  /^关于\s?(.{1,100}?)[\s，,]?你?还?(?:记得|记住了?)(?:些|一些|了)?(?:什么|哪些)$/,
  /^你?还?记得(?:关于|有关)?\s?(.{1,100}?)\s?(?:的(?:什么|事情?|内容))?$/,
  /^(?:在)?记忆(?:里|中)?(?:查找|搜索|找|查)\s?(.{1,100})$/,
  /^(?:查找|搜索|查)\s?记忆\s?[:：]?\s?(.{1,100})$/,
];

/** Questions about Detent: the demo cannot answer them itself, but the `memory/` of a fresh clone can. */
const questions = [
  /^(?:what|how|why|when|where|which|who|can|does|is)\b.{0,150}\bdetent\b.{0,100}$/i,
  /^(?:什么是|怎么|如何|为什么)\s?.{0,60}detent.{0,60}$/i,
  /^.{0,40}detent\s?.{0,60}(?:什么|怎么|怎样|如何|哪些|为什么).{0,20}$/i,
];

/** "what do you remember about Detent?", "how does Detent resume a run?", "关于 Detent 你记得什么？". */
export const memorySearchRule: Rule = {
  tool: 'memory_search',
  changes: false,
  example: { en: 'what do you remember about Detent?', zh: '关于 Detent 你记得什么？' },
  match({ text }): DemoCall | null {
    for (const topic of topics) {
      const found = topic.exec(text);
      if (found?.[1]) return searching(found[1]);
    }
    return questions.some((question) => question.test(text)) ? searching(text) : null;
  },
  title: (_args, language) => (language === 'zh' ? '记忆里有：' : 'In memory: '),
  readable: passagesIn,
  handOn: (_args, result) => passagesIn(result),
};

function searching(query: string): DemoCall {
  return { tool: 'memory_search', args: { query, limit: maxPassages } };
}

/** The passages of a result, each under its place; or why there are none. */
function passagesIn(result: string): string {
  const found = parseJson(result);
  if (!isObject(found) || !Array.isArray(found.results)) return result;
  const passages = found.results.filter(isObject).map(({ path, startLine, endLine, snippet }) => {
    return `${path}:${startLine}-${endLine}\n${snippet}`;
  });
  return passages.length > 0 ? passages.join('\n\n') : String(found.reason ?? '');
}

import { isObject, type JsonObject, parseJson } from '../../protocol/json.ts';
import type { Bilingual } from './language.ts';

/** A tool call that a message asks for. */
export interface DemoCall {
  tool: string;
  args: JsonObject;
}

/** Parts of a sentence, by the name of their group in its pattern. */
type Words = Readonly<Record<string, string | undefined>>;

/**
 * One form of sentence that the demo understands, and the tool that it calls.
 *
 * A pattern matches the whole message: "I read a book yesterday" reads no file. None nests a quantifier in another, and messages are
 * short, so matching cannot run away on hostile text.
 */
interface Form {
  readonly tool: string;
  readonly example: Bilingual;
  readonly patterns: readonly RegExp[];
  /** The arguments of the call; null for words that the demo does not know. Default: the words. */
  argsOf?(words: Words): JsonObject | null;
  /** The text before the result in the answer, with its own colon or equals sign. */
  title(args: JsonObject): Bilingual;
  /** A result as a person reads it, where the tool answers with data. Default: as it is. */
  readable?(result: string): string;
}

/** The demo does not read longer messages at all: half of a request is not what the user asked for. */
const maxMessageLength = 2_000;

const same = (text: string): Bilingual => ({ en: text, zh: text });
const done = (): Bilingual => ({ en: 'Done: ', zh: '完成：' });

/** All that the demo understands, in the order in which it is tried. */
export const forms: readonly Form[] = [
  {
    tool: 'calculator',
    example: { en: 'what is 12*(3+4)?', zh: '12*(3+4)等于多少？' },
    patterns: [
      /^(?:(?:what is|what['’]s|how much is|calculate|compute)\s)?(?<expression>-?[\d(][\d\s.()]*[-+*/^%][-\d\s.+*/^%()]+)$/i,
      /^(?:计算)?\s?(?<expression>-?[\d(][\d\s.()]*[-+*/^%][-\d\s.+*/^%()]+)(?:等于多少|是多少)$/,
    ],
    title: ({ expression }) => same(`${expression} = `),
  },
  {
    tool: 'unit_convert',
    example: { en: 'convert 10 miles to km', zh: '把 5 km 换算成 miles' },
    patterns: [
      /^convert (?<value>-?[\d.]+) ?(?<from>[a-z/]+) to (?<to>[a-z/]+)$/i,
      /^把\s?(?<value>-?[\d.]+)\s?(?<from>[a-z/]+)\s?换算成\s?(?<to>[a-z/]+)$/i,
    ],
    argsOf: ({ value, ...units }) =>
      Number.isFinite(Number(value)) ? { value: Number(value), ...units } : null,
    title: ({ value, from }) => same(`${value} ${from} = `),
  },
  {
    tool: 'datetime',
    example: { en: 'what time is it in Tokyo?', zh: '现在几点？' },
    patterns: [
      /^what (?:time|day) is it(?: now)?(?: in (?<place>[\p{Letter} _/-]{1,40}))?$/iu,
      /^(?:现在|今天)(?:几点|星期几|几号)了?$/,
    ],
    argsOf({ place }): JsonObject | null {
      if (!place) return {};
      const timezone = zoneOf(place);
      return timezone ? { timezone } : null;
    },
    title: () => ({ en: 'Now: ', zh: '现在：' }),
  },
  {
    tool: 'read_file',
    example: { en: 'read README.md', zh: '读取 README.md' },
    patterns: [/^read (?<path>\S+)$/i, /^(?:读取|读|查看)\s?(?<path>\S+)$/],
    title: ({ path }) => same(`${path}: `),
  },
  {
    tool: 'list_files',
    example: { en: 'list the files in the current folder', zh: '列出当前目录的文件' },
    patterns: [
      /^list (?:the )?files(?: in (?:the )?(?<path>\S+)(?: folder)?)?$/i,
      /^列出\s?(?<path>\S*?)\s?(?:目录)?的?文件$/,
    ],
    argsOf: ({ path = '' }): JsonObject => (/^(?:|\.|this|current|当前)$/i.test(path) ? {} : { path }),
    title: ({ path = '.' }) => ({ en: `Files in ${path}: `, zh: `${path} 中的文件：` }),
  },
  {
    tool: 'write_file',
    example: { en: "write 'hello' to notes.txt", zh: '把“你好”写入 notes.txt' },
    patterns: [
      /^write ["'“](?<content>.+)["'”] to (?<path>\S+)$/is,
      /^把\s?["'“](?<content>.+)["'”]\s?写入\s?(?<path>\S+)$/s,
    ],
    argsOf: ({ path = '', content = '' }) => ({ path, content }),
    title: done,
  },
  {
    tool: 'memory_search',
    example: { en: 'what do you remember about Detent?', zh: '关于 Detent 你记得什么？' },
    // The last one: the demo cannot answer questions about Detent itself, but the `memory/` of a fresh clone can.
    patterns: [
      /^what do you remember about (?<query>.{1,200})$/i,
      /^关于\s?(?<query>.{1,100}?)[\s，,]?你记得什么$/,
      /^(?<query>(?:what|how|why|when|where|which|who|can|does|is)\b.{0,150}\bdetent\b.{0,100})$/i,
    ],
    argsOf: ({ query = '' }) => ({ query, limit: maxPassages }),
    title: () => ({ en: 'In memory: ', zh: '记忆里有：' }),
    readable: passagesIn,
  },
  {
    tool: 'memory_write',
    example: { en: 'remember that my name is Ada', zh: '请记住我叫小明' },
    patterns: [/^remember that (?<line>.{2,300})$/i, /^记住[\s:：，]{0,2}(?<line>.{2,200})$/],
    argsOf: ({ line = '' }) => ({ lines: [line] }),
    title: done,
  },
];

export function formFor(tool: string): Form | undefined {
  return forms.find((form) => form.tool === tool);
}

/** A message without tool: small talk, a wish to see the tour, or words that the demo does not understand. */
export type Talk = 'greeting' | 'help' | 'tour' | 'unknown';

const talks: ReadonlyArray<readonly [Talk, RegExp]> = [
  ['greeting', /^(?:hi|hello|hey|good (?:morning|afternoon|evening)|你好|您好|嗨)$/i],
  ['help', /^(?:\/?help|what can you do|who are you|帮助|你(?:能|会|可以)做什么|你是谁)$/i],
  ['tour', /^(?:(?:take |start )?(?:the |a )?(?:guided )?tour(?: again)?|show me how you work)$/i],
  ['tour', /^(?:(?:开始|看看)?导览|让我看看你是怎么工作的)$/],
];

/** A call of any tool, such as one of the user's own, by its name and the JSON of its arguments. */
const anyCall = /^(?:call|调用) (?<name>[\w-]{1,64})(?: (?<json>\{.*\}))?$/is;

const courtesy = /^(?:please|can you|could you|请你?)[\s,，]*/i;

/** What the demo does about a message: it calls a tool, or talks. */
export function understand(message: string): DemoCall | Talk {
  if (message.length > maxMessageLength) return 'unknown';
  const sentence = message
    .trim()
    .replace(courtesy, '')
    .replace(/[\s.!?。！？]{1,10}$/, '');
  const talk = talks.find(([, pattern]) => pattern.test(sentence));
  if (talk) return talk[0];
  const { name, json = '{}' } = anyCall.exec(sentence)?.groups ?? {};
  const given = parseJson(json);
  if (name !== undefined && isObject(given)) return { tool: name, args: given as JsonObject };
  for (const { tool, patterns, argsOf } of forms) {
    const found = patterns.map((pattern) => pattern.exec(sentence)).find((match) => match !== null);
    const words = { ...found?.groups };
    const args = found && (argsOf ? argsOf(words) : words);
    if (args) return { tool, args };
  }
  return 'unknown';
}

/** The IANA zone that a place names, by its city ("New York") or whole; null for a place that names none. */
function zoneOf(place: string): string | null {
  const name = place.trim().replaceAll(' ', '_').toLowerCase();
  const zones = Intl.supportedValuesOf('timeZone');
  return zones.find((zone) => `/${zone.toLowerCase()}`.endsWith(`/${name}`)) ?? null;
}

/** Two passages of at most 700 characters fit into an answer of the demo. */
const maxPassages = 2;

/** The passages of a search's result, each under its place; or why there are none. */
function passagesIn(result: string): string {
  const found = parseJson(result);
  if (!isObject(found) || !Array.isArray(found.results)) return result;
  const passages = found.results
    .filter(isObject)
    .map(({ path, startLine, endLine, snippet }) => `${path}:${startLine}-${endLine}\n${snippet}`);
  return passages.length > 0 ? passages.join('\n\n') : String(found.reason ?? '');
}

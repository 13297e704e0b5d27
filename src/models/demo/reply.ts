import { flushRequestPrefix, type ModelRequest, summaryRequestPrefix } from '../../protocol/ports.ts';
import { fenced } from './fenced.ts';
import { type DemoCall, formFor, forms, type Talk, understand } from './forms.ts';
import { type Language, languageOf } from './language.ts';
import { introduction, phrases } from './phrases.ts';
import type { Reply, Situation } from './reply.types.ts';
import { tourReply } from './tour/script.ts';
import { stepLanguage, tourWords } from './tour/words.ts';
import { readTurn, type ToolResult } from './turn.ts';

/**
 * The demo's answer to a request: a pure function of its messages and tools.
 *
 * After one round of calls the answer is text, whatever the results were.
 */
export function replyTo(request: ModelRequest, situation: Situation): Reply {
  const compaction = compactionReply(request);
  if (compaction !== null) return { text: compaction, calls: [] };
  const tour = tourReply(request, situation);
  if (tour) return { ...tour, isTour: true };
  const { asked, attached, earlier, results } = readTurn(request.messages);
  const language = languageOf(asked.join('\n'));
  const say = phrases[language];
  const opening = isIntroduced(request) ? [] : [introduction[language]];

  const offered = new Set(request.tools.map(({ name }) => name));
  const heard = asked.map(understand);
  const wanted = heard.filter((one) => typeof one === 'object');
  const calls = wanted.filter(({ tool }) => offered.has(tool));
  if (calls.length > 0 && results === null)
    return { text: opening.map((words) => `${words} ${say.calling(namesOf(calls))}`).join(''), calls };

  const missing = wanted.filter(({ tool }) => !offered.has(tool));
  const reported = [...earlier, ...(results ?? [])].map((result) => report(result, language));
  const said = new Set(heard.filter((one) => typeof one === 'string'));
  const hasActed = reported.length > 0 || missing.length > 0;
  const paragraphs = [
    ...opening,
    ...(attached.length > 0 ? [say.unseen(attached.join('; '))] : []),
    ...reported,
    ...(missing.length > 0 ? [say.missing(namesOf(missing))] : []),
    ...(hasActed && said.size === 0 ? [] : answerTo(said, offered, language)),
  ];
  return { text: paragraphs.join('\n\n'), calls: [] };
}

function isIntroduced(request: ModelRequest): boolean {
  return request.messages.some(
    ({ role, text }) =>
      role === 'assistant' && (text.includes(introduction.en) || text.includes(introduction.zh)),
  );
}

function namesOf(calls: readonly DemoCall[]): string {
  return [...new Set(calls.map(({ tool }) => tool))].join(', ');
}

/** The answer to words that ask for no tool: what the demo understands, and the way to a real model. */
function answerTo(said: ReadonlySet<Talk>, offered: ReadonlySet<string>, language: Language): string[] {
  const say = phrases[language];
  const examples = forms
    .filter(({ tool }) => offered.has(tool))
    .map(({ example }) => `- ${example[language]}`);
  return [
    ...(said.has('greeting') ? [say.greeting] : []),
    ...(said.has('unknown') ? [say.cannotAnswer] : []),
    offered.size === 0 ? say.noTools : [say.canDo, ...examples, `- ${say.call}`, `- ${say.tour}`].join('\n'),
    say.configure,
  ];
}

const maxQuotedLength = 1_500;
const rejection = /\b(?:reject(?:ed|s|ion)?|declined)\b|拒绝/i;

/** One paragraph with the result of a call, quoting the tool. */
function report({ tool, args, text: result, isError }: ToolResult, language: Language): string {
  const say = phrases[language];
  const form = formFor(tool);
  const said = isError ? result : (form?.readable?.(result) ?? result);
  const text = cut(said.trimEnd() || say.nothing, language);
  if (isError) return rejection.test(text) ? say.rejected(tool, text) : say.failed(tool, text);
  const title = form?.title(args)[language] ?? `${tool}: `;
  return text.includes('\n') ? `${title.trimEnd()}\n${fenced(text)}` : `${title}${text}`;
}

function cut(text: string, language: Language): string {
  if (text.length <= maxQuotedLength) return text;
  // Do not cut in the middle of a surrogate pair.
  const head = text.slice(0, maxQuotedLength).replace(/[\uD800-\uDBFF]$/, '');
  return `${head}\n${phrases[language].cut}`;
}

const maxMessages = 50;
const maxCharacters = 100;
/** Answers that a summary of the demo repeats. In those of a tour its script finds its own steps again. */
const maxAnswers = 3;

/** The demo's part in a compaction of the runtime; null for any other request. */
function compactionReply({ messages, tools }: ModelRequest): string | null {
  const texts = messages.flatMap(({ role, text }) => (role === 'user' ? [text] : []));
  const last = texts.pop() ?? '';
  if (last.startsWith(summaryRequestPrefix) && tools.length === 0) return summaryOf(texts);
  const mayWrite = tools.some(({ name }) => name === 'memory_write');
  return last.startsWith(flushRequestPrefix) && mayWrite ? memoryOf(texts) : null;
}

/** The beginning of each user message, because the demo cannot tell what matters; of a tour, that there was one. */
function memoryOf(texts: readonly string[]): string {
  const said = texts.flatMap((text) => linesBy(text, 'User')).filter((words) => understand(words) !== 'tour');
  const tour = stepLanguage(texts.join('\n'));
  const lines = [...said.slice(-maxMessages).map(beginning), ...(tour ? [tourWords[tour].memory] : [])];
  return lines.join('\n') || 'NOTHING';
}

/** An extract, because the demo cannot summarise: the beginning of each user message, and of the last answers. */
function summaryOf(texts: readonly string[]): string {
  const lines = texts
    .flatMap(spoken)
    .slice(-maxMessages)
    .map((text) => `- ${beginning(text)}`);
  const say = phrases[languageOf(lines.join('\n'))];
  return [say.askedBefore, ...(lines.length === 0 ? [say.nothing] : lines)].join('\n');
}

/** What was said in a conversation that the runtime gives as one text. */
function spoken(text: string): string[] {
  const isOwn = (line: string) => line.startsWith(introduction.en) || line.startsWith(introduction.zh);
  const answers = linesBy(text, 'Assistant').filter((line) => !isOwn(line));
  const said = [...linesBy(text, 'User'), ...answers.slice(-maxAnswers)];
  return said.length > 0 ? said : [text];
}

function linesBy(text: string, who: 'User' | 'Assistant'): string[] {
  return [...text.matchAll(new RegExp(`^${who}: (.+)$`, 'gm'))].map(([, words = '']) => words);
}

function beginning(text: string): string {
  const flat = text.slice(0, maxCharacters * 4).replace(/\s+/g, ' ');
  return Array.from(flat.trim()).slice(0, maxCharacters).join('');
}

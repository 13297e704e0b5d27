import type { ModelRequest } from '../../ports/chat-model.ts';
import { languageOf } from './language.ts';
import { introduction, phrases } from './phrases.ts';
import { asksForTour, isOfTour, tourInMemory, tourInSummary } from './tour/marks.ts';

/** The beginning of the request in which the runtime's compaction asks for a summary. */
export const summaryRequestPrefix = 'Summarise the conversation above';

/** The beginning of the request in which the runtime asks, before a compaction, what to write to the memory. */
export const flushRequestPrefix = 'Before the conversation above is shortened';

const maxMessages = 50;
const maxCharacters = 100;
/** Answers that a summary of the demo repeats. */
const maxAnswers = 3;

/** Whether the runtime asks for a summary: no tools, and the last message of the user begins with the prefix. */
export function asksForSummary(request: ModelRequest): boolean {
  const last = userTexts(request).at(-1);
  return request.tools.length === 0 && last !== undefined && last.startsWith(summaryRequestPrefix);
}

/** Whether the runtime asks what to write to the memory: it offers `memory_write`, and the last message has the prefix. */
export function asksForMemory(request: ModelRequest): boolean {
  const last = userTexts(request).at(-1);
  const isOffered = request.tools.some(({ name }) => name === 'memory_write');
  return isOffered && last?.startsWith(flushRequestPrefix) === true;
}

/** The beginning of each user message, because the demo cannot tell what matters; and that there was a tour. */
export function memoryOf(request: ModelRequest): string {
  const texts = userTexts(request).slice(0, -1);
  const said = texts.flatMap((text) => [...text.matchAll(/^User: (.+)$/gm)].map(([, words = '']) => words));
  const kept = said.filter((words) => !asksForTour(words)).slice(-maxMessages);
  const lines = [...kept.map(beginning), ...tourInMemory(texts.join('\n'))];
  return lines.length === 0 ? 'NOTHING' : lines.join('\n');
}

/** An extract, because the demo cannot summarise: the beginning of each user message. */
export function summaryOf(request: ModelRequest): string {
  const texts = userTexts(request).slice(0, -1).flatMap(spoken);
  const shown = texts.slice(-maxMessages).map(beginning);
  const say = phrases[languageOf(shown.join('\n'))];
  const omitted = texts.length - shown.length;
  const lines = shown.length === 0 ? [say.nothing] : shown.map((text) => `- ${text}`);
  const tour = tourInSummary(userTexts(request).slice(0, -1).join('\n'));
  return [say.askedBefore, ...(omitted > 0 ? [say.leftOut(omitted)] : []), ...lines, ...tour].join('\n');
}

/** The lines of a conversation that the runtime gives as one text. */
function spoken(text: string): string[] {
  const said = [...text.matchAll(/^(User|Assistant): (.+)$/gm)];
  if (said.length === 0) return [text];
  const asked = said.filter(([, who]) => who === 'User');
  const answered = said
    .filter(([, who, words = '']) => who === 'Assistant' && !isOfTour(words) && !isIntroduction(words))
    .slice(-maxAnswers);
  return [...asked, ...answered].map(([, , words = '']) => words);
}

function isIntroduction(line: string): boolean {
  return line.startsWith(introduction.en) || line.startsWith(introduction.zh);
}

function userTexts(request: ModelRequest): string[] {
  return request.messages.flatMap((message) => (message.role === 'user' ? [message.text] : []));
}

function beginning(text: string): string {
  const flat = text
    .slice(0, maxCharacters * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return Array.from(flat).slice(0, maxCharacters).join('');
}

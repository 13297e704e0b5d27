import { flushRequestPrefix, type ModelRequest, summaryRequestPrefix } from '../../protocol/ports.ts';
import { understand } from './forms.ts';
import { languageOf } from './language.ts';
import { introduction, phrases } from './phrases.ts';
import { stepLanguage, tourWords } from './tour/words.ts';

const maxMessages = 50;
const maxCharacters = 100;
/** Answers that a summary of the demo repeats. In those of a tour its script finds its own steps again. */
const maxAnswers = 3;

/** The demo's part in a compaction of the runtime; null for any other request. */
export function compactionReply({ messages, tools }: ModelRequest): string | null {
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

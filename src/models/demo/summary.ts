import type { ModelRequest } from '../../agent/chat-model.ts';
import { languageOf } from './language.ts';
import { phrases } from './phrases.ts';

/** How the runtime's compaction begins the request that asks for a summary. */
export const summaryRequestPrefix = 'Summarise the conversation above';

const maxMessages = 50;
const maxCharacters = 100;

/** Whether the runtime asks for a summary: no tools, and the last message of the user begins with the prefix. */
export function asksForSummary(request: ModelRequest): boolean {
  const last = userTexts(request).at(-1);
  return request.tools.length === 0 && last !== undefined && last.startsWith(summaryRequestPrefix);
}

/** An extract, for the demo cannot summarise: the beginning of each message of the user. */
export function summaryOf(request: ModelRequest): string {
  const texts = userTexts(request).slice(0, -1);
  const shown = texts.slice(-maxMessages).map(beginning);
  const say = phrases[languageOf(shown.join('\n'))];
  const omitted = texts.length - shown.length;
  const lines = shown.length === 0 ? [say.nothing] : shown.map((text) => `- ${text}`);
  return [say.askedBefore, ...(omitted > 0 ? [say.leftOut(omitted)] : []), ...lines].join('\n');
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

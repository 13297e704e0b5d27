import type { ModelRequest, PromptMessage } from '../../../ports/chat-model.ts';
import { summaryHeading } from '../../../ports/prompt-marks.ts';
import { isObject, parseJson } from '../../../protocol/json.ts';
import { type Language, languageOf } from '../language.ts';
import { readTurn, type ToolResult, type Turn } from '../turn.ts';
import { asksForTour, isOfTour, stepLanguage } from './marks.ts';
import { type Fate, notesPath, tourWords } from './words.ts';

/** How far a tour is. Read from the conversation, so that it survives crashes, compactions and messages in between. */
export interface Progress {
  language: Language;
  /** Results of the first step that are still in the conversation; null before that step. */
  looked: readonly ToolResult[] | null;
  wrote: Written | null;
  checked: ToolResult | null;
  /** Messages of the user since the last call. */
  heard: readonly string[];
  /** What the run has done since the tour began and is still in the conversation: answers and calls. */
  effects: number;
  /** Whether the user sent a message since then. */
  isSteered: boolean;
  isCompacted: boolean;
}

/** The call that asked a person. */
export interface Written {
  path: string;
  /** `withdrawn` by a message of the user, so the call may be made again. */
  fate: Fate | { kind: 'withdrawn' };
}

/** The tools of the first step. */
export const lookTools: readonly string[] = ['list_files', 'datetime'];

/** The name of the model that begins with the tour. */
export const tourModel = 'tour';

/**
 * The tour that these messages ask for or have under way; null if there is none.
 *
 * @param effect the number of this call among the effects of its run. The first one continues no tour of an earlier run, which was
 * cancelled
 */
export function progressOf(
  { model, messages }: Pick<ModelRequest, 'model' | 'messages'>,
  effect: number,
): Progress | null {
  const isFirstCall = effect === 1;
  const current = messages.slice(beginning(messages));
  const turn = readTurn(current);
  const asked = turn.asked.filter((text) => !isSummary(text));
  const going = isFirstCall ? null : underWay(current, turn, asked);
  if (going) {
    const hasSummary = messages.some(({ role, text }) => role === 'user' && isSummary(text));
    return { ...going, isCompacted: hasSummary && effect > going.effects + 2 };
  }
  const wishes = isFirstCall ? asked.slice(-1) : asked;
  const isFirst = model === tourModel && wishes.length > 0 && !hadTour(messages);
  const at = asked.findLastIndex((text) => wishes.includes(text) && asksForTour(text));
  if (at < 0 && !isFirst) return null;
  return {
    language: languageOf(asked[Math.max(0, at)] ?? ''),
    looked: null,
    wrote: null,
    checked: null,
    heard: asked.slice(Math.max(0, at) + 1),
    effects: 0,
    isSteered: false,
    isCompacted: false,
  };
}

function underWay(messages: readonly PromptMessage[], turn: Turn, asked: readonly string[]): Progress | null {
  const said = messages.flatMap((message) => (message.role === 'assistant' ? [message.text] : []));
  const summaries = messages.flatMap(({ role, text }) => (role === 'user' && isSummary(text) ? [text] : []));
  const language = stepLanguage([...said, ...summaries].join('\n'));
  if (language === undefined) return null;
  const { step } = tourWords[language];
  const results = [...turn.earlier, ...turn.rounds.flat()];
  const wrote = results.findLast(({ tool }) => tool === 'write_file');
  const hasAsked = [...said, ...summaries].some((text) => text.includes(step[2]));
  return {
    language,
    looked: results.filter(({ tool }) => lookTools.includes(tool)),
    wrote: wrote ? written(wrote) : hasAsked ? forgotten : null,
    checked: results.findLast(({ tool }) => tool === 'read_file') ?? null,
    heard: turn.rounds.length === 0 ? asked : [],
    effects: messages.reduce(
      (sum, message) => sum + (message.role === 'assistant' ? 1 + message.toolCalls.length : 0),
      0,
    ),
    isSteered: messages.slice(1).some(({ role, text }) => role === 'user' && isWord(text)),
    isCompacted: false,
  };
}

/** Where the current tour begins: at the message that asks for it, or behind the last answer of no tour. */
function beginning(messages: readonly PromptMessage[]): number {
  const asking = messages.findLastIndex(({ role, text }) => role === 'user' && asksForTour(text));
  const other = messages.findLastIndex(
    ({ role, text }) => role === 'assistant' && stepLanguage(text) === undefined,
  );
  return Math.max(0, asking, other + 1);
}

/** Whether the conversation has had a tour, over or not. */
function hadTour(messages: readonly PromptMessage[]): boolean {
  return messages.some(
    ({ role, text }) => (role === 'assistant' || (role === 'user' && isSummary(text))) && isOfTour(text),
  );
}

/** Whether the user said it. */
function isWord(text: string): boolean {
  return !isSummary(text) && readTurn([{ role: 'user', text }]).asked.length > 0;
}

function isSummary(text: string): boolean {
  return text.startsWith(summaryHeading);
}

/** The call was compacted away with its result. The file shows what became of it. */
const forgotten: Written = { path: notesPath, fate: { kind: 'ran', isChanged: false } };

/** How Detent reports the arguments that a person, or a hook, put in place of the model's. */
const changed = /^\[The (?:user|hook "[^"]*") changed the arguments to (\{.*\})\]\n/;
const withdrawal = /^Not run: the user sent a new message first\.$/;
const refusal = /\b(?:reject(?:ed|s|ion)?|declined|not allowed|refused|counts as rejected)\b/i;

function written({ args, text, isError }: ToolResult): Written {
  const found = changed.exec(text);
  const actual = found ? parseJson(found[1] ?? '') : args;
  const path = isObject(actual) && typeof actual.path === 'string' ? actual.path : notesPath;
  if (!isError)
    return { path, fate: { kind: 'ran', isChanged: found?.[0].startsWith('[The user') === true } };
  if (withdrawal.test(text)) return { path, fate: { kind: 'withdrawn' } };
  const why = text.replace(changed, '');
  return { path, fate: { kind: refusal.test(why) ? 'rejected' : 'failed', why } };
}

import type { ModelError } from '../../../protocol/content.ts';
import { isObject, parseJson } from '../../../protocol/json.ts';
import { type ModelRequest, type PromptMessage, summaryHeading } from '../../../protocol/ports.ts';
import { modelError } from '../../wire/model-error.ts';
import { fenced } from '../fenced.ts';
import { type DemoCall, understand } from '../forms.ts';
import { type Language, languageOf } from '../language.ts';
import { introduction } from '../phrases.ts';
import type { Reply, Situation } from '../reply.types.ts';
import { readTurn, type ToolResult } from '../turn.ts';
import { notesPath, stepLanguage, tourWords } from './words.ts';

/** How far a tour is. Read from the conversation, so that it survives crashes, compactions and messages in between. */
interface Progress {
  language: Language;
  /** Results of the first step that are still in the conversation; null before that step. */
  looked: readonly ToolResult[] | null;
  /** The call that asked a person: the file, as it was written at last, and what Detent said of the call. */
  wrote: { path: string; result: string; isError: boolean } | null;
  checked: ToolResult | null;
}

/** The tools of the first step. */
const lookTools: readonly string[] = ['list_files', 'datetime'];

/** What Detent says of a call that the user's message withdrew: it may be made again. */
const withdrawal = 'Not run: the user sent a new message first.';

/**
 * The demo's next line of the guided tour: one run that passes through every state that a healthy run can be in. Null
 * when no tour is asked for or under way. It plays two failures: on the first call of a run a busy provider, so that the run backs
 * off, and after the file a full window, so that the run compacts. All else is real.
 */
export function tourReply(
  { model, messages, tools }: Pick<ModelRequest, 'model' | 'messages' | 'tools'>,
  { effect, busyMs }: Situation,
): Reply | null {
  const progress = progressOf({ model, messages }, effect);
  if (progress === null) return null;
  const say = tourWords[progress.language];
  if (effect === 1) return failing(modelError('rate_limit', say.busy, { status: 429, retryAfterMs: busyMs }));
  const { looked, wrote, checked } = progress;
  const offered = new Set(tools.map(({ name }) => name));
  const look = lookTools.filter((tool) => offered.has(tool));
  const step = (n: 1 | 2 | 3, words: string) => `**${say.step[n]}:** ${words}`;

  if (looked === null && look.length > 0)
    return {
      text: `${introduction[progress.language]}\n\n${step(1, say.look(look))}`,
      reasoning: say.planned,
      calls: look.map(
        (tool): DemoCall => ({ tool, args: tool === 'list_files' ? { limit: maxEntries } : {} }),
      ),
    };
  const mayAsk = wrote === null || wrote.result === withdrawal;
  if (wrote && mayAsk && readTurn(messages).asked.some((text) => asksToStop.test(text)))
    return { text: say.stopping, calls: [] };
  if (mayAsk && offered.has('write_file')) {
    const notes = (looked ?? []).map(({ tool, text }) => `- ${tool}: ${shortened(text)}\n`).join('');
    return {
      text: step(2, say.write),
      calls: [{ tool: 'write_file', args: { path: notesPath, content: say.notes + notes } }],
    };
  }
  // Two failed calls of the model, two that went well, the tools: a run to which nobody wrote in between. A compaction keeps
  // what follows a message of the user, so after such a message it would find too little.
  const fullAt = look.length + 5;
  if (wrote && effect === fullAt) return failing(modelError('context_overflow', say.full, { status: 400 }));
  const isCompacted = effect > fullAt && messages.some(({ text }) => isSummary(text));
  if (wrote && !wrote.isError && checked === null && offered.has('read_file'))
    return {
      text: step(3, say.check),
      calls: [{ tool: 'read_file', args: { path: wrote.path, limit: maxLines } }],
    };
  return { text: report(progress, { look, isCompacted }), calls: [] };
}

const asksToStop = /\b(?:stop|quit|enough|cancel|don['’]?t|do not|no more)\b|停|不要|别|取消|够了/i;

function failing(error: ModelError): Reply {
  return { text: '', calls: [], error };
}

/**
 * The tour that these messages ask for or have under way; null if there is none.
 *
 * `demo/tour` begins with one, whatever the first message is. The first call of a run continues no tour of an earlier run, which was
 * cancelled.
 */
function progressOf(
  { model, messages }: Pick<ModelRequest, 'model' | 'messages'>,
  effect: number,
): Progress | null {
  const current = messages.slice(beginning(messages));
  const going = effect === 1 ? null : underWay(current);
  if (going) return going;
  const asked = readTurn(current).asked.filter((text) => !isSummary(text));
  const wish = asked.findLast((text, n) => asksForTour(text) && (effect !== 1 || n === asked.length - 1));
  const isNew = !messages.some(({ role, text }) => role === 'assistant' || isSummary(text));
  const words = wish ?? (model === 'tour' && isNew ? asked[0] : undefined);
  return words === undefined
    ? null
    : { language: languageOf(words), looked: null, wrote: null, checked: null };
}

function underWay(messages: readonly PromptMessage[]): Progress | null {
  const said = messages.flatMap(({ role, text }) => (role === 'assistant' || isSummary(text) ? [text] : []));
  const language = stepLanguage(said.join('\n'));
  if (language === undefined) return null;
  const { earlier, results } = readTurn(messages);
  const all = [...earlier, ...(results ?? [])];
  const wrote = all.findLast(({ tool }) => tool === 'write_file');
  const hasAsked = said.some((text) => text.includes(tourWords[language].step[2]));
  return {
    language,
    looked: all.filter(({ tool }) => lookTools.includes(tool)),
    wrote: wrote ? written(wrote) : hasAsked ? forgotten : null,
    checked: all.findLast(({ tool }) => tool === 'read_file') ?? null,
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

function asksForTour(text: string): boolean {
  return understand(text) === 'tour';
}

function isSummary(text: string): boolean {
  return text.startsWith(summaryHeading);
}

/** The call was compacted away with its result. The file shows what became of it. */
const forgotten = { path: notesPath, result: '…', isError: false };

/** How Detent reports the arguments that a person, or a hook, put in place of the model's. */
const changed = /^\[The (?:user|hook "[^"]*") changed the arguments to (\{.*\})\]\n/;

function written({ args, text, isError }: ToolResult): NonNullable<Progress['wrote']> {
  const actual = parseJson(changed.exec(text)?.[1] ?? '') ?? args;
  const path = isObject(actual) && typeof actual.path === 'string' ? actual.path : notesPath;
  return { path, result: text, isError };
}

/** The last answer: what happened, in a table; the file, as it was read back; what to try next. */
function report(
  { language, looked, wrote, checked }: Progress,
  { look, isCompacted }: { look: readonly string[]; isCompacted: boolean },
): string {
  const say = tourWords[language];
  const ran = [...(looked ? look : []), ...(checked ? ['read_file'] : [])];
  const hasResult = wrote !== null && wrote.result !== withdrawal;
  const rows: Array<readonly [string, string]> = [
    ['thinking', say.thinking],
    ['backingOff', say.backingOff],
    ...(ran.length === 0 ? [] : [['tooling', say.tooling(ran.join(', '))] as const]),
    ...(hasResult
      ? [['awaitingConfirm', say.asked(shortened(wrote.result).replaceAll('|', '¦'))] as const]
      : []),
    ...(isCompacted ? [['compacting', say.compacting] as const] : []),
    ['done', say.done],
  ];
  const table = [say.tableHead, ['---', '---'], ...rows.map(([state, words]) => [`\`${state}\``, words])];
  return [
    `**${say.end}**`,
    table.map((cells) => `| ${cells.join(' | ')} |`).join('\n'),
    ...(checked ? [`${say.readBack} \`${checked.args.path}\`:\n\n${fenced(checked.text.trimEnd())}`] : []),
    say.acted,
    say.next,
  ].join('\n\n');
}

const maxEntries = 200;
const maxLines = 20;
const maxQuoted = 160;

function shortened(text: string): string {
  const characters = Array.from(text.replace(/\s+/g, ' ').trim());
  return characters.length <= maxQuoted ? characters.join('') : `${characters.slice(0, maxQuoted).join('')}…`;
}

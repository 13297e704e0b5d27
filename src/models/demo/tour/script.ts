import type { ModelRequest } from '../../../ports/chat-model.ts';
import type { ModelError } from '../../../protocol/answer.ts';
import type { Language } from '../language.ts';
import { introduction } from '../phrases.ts';
import type { Reply, Situation } from '../reply.types.ts';
import type { DemoCall } from '../rules/rule.ts';
import type { ToolResult } from '../turn.ts';
import { lookTools, type Progress, progressOf } from './progress.ts';
import { type Fate, notesPath, tourWords } from './words.ts';

/**
 * The demo's next line of the guided tour: one run that passes through every state that a healthy run can be in. Null
 * when no tour is asked for or under way.
 *
 * It plays two failures: on the first call of a run a busy provider, so that the run backs off, and after the file a full
 * window, so that the run compacts. All else is real.
 */
export function tourReply(
  { model, messages, tools }: Pick<ModelRequest, 'model' | 'messages' | 'tools'>,
  { effect, busyMs }: Situation,
): Reply | null {
  const progress = progressOf({ model, messages }, effect);
  if (progress === null) return null;
  const offered = new Set(tools.map(({ name }) => name));
  const say = tourWords[progress.language];
  if (effect === 1) return failing(busy(say.busy, busyMs));
  const { looked, wrote, checked, heard } = progress;
  const answered = heard.length === 0 ? [] : [say.heard(shortened(heard.join(' / ')))];
  const inParagraphs = (...paragraphs: string[]) => [...answered, ...paragraphs].join('\n\n');
  const step = (n: 1 | 2 | 3, words: string) => inParagraphs(`**${say.step[n]}:** ${words}`);
  if (heard.some((text) => asksToStop.test(text)))
    return { text: inParagraphs(say.stopping, report(progress, offered)), reasoning: '', calls: [] };

  const look = lookTools.filter((tool) => offered.has(tool));
  if (looked === null && look.length > 0)
    return {
      text: `${introduction[progress.language]}\n\n${step(1, say.look(look))}`,
      reasoning: say.planned,
      calls: look.map(
        (tool): DemoCall => ({ tool, args: tool === 'list_files' ? { limit: maxEntries } : {} }),
      ),
    };
  if (offered.has('write_file') && (wrote === null || wrote.fate.kind === 'withdrawn')) {
    const { time, entries } = facts(looked ?? []);
    return {
      text: step(2, wrote === null ? say.write : say.writeAgain),
      reasoning: say.lookedAt(entries),
      calls: [{ tool: 'write_file', args: { path: notesPath, content: say.notes(time, entries) } }],
    };
  }
  // Once: after a compaction, also after one that failed, the run has had more effects than the two that no message shows.
  // A compaction keeps what follows a message of the user, so after such a message it would find too little.
  if (wrote && checked === null && effect === progress.effects + 2 && !progress.isSteered)
    return failing(full(say.full));
  if (wrote?.fate.kind === 'ran' && checked === null && offered.has('read_file'))
    return {
      text: step(3, say.check(progress.isCompacted)),
      reasoning: progress.isCompacted ? say.summarised : '',
      calls: [{ tool: 'read_file', args: { path: wrote.path, limit: maxLines } }],
    };
  return { text: inParagraphs(report(progress, offered)), reasoning: say.reporting, calls: [] };
}

const asksToStop = /\b(?:stop|quit|enough|cancel|don['’]?t|do not|no more)\b|停|不要|别|取消|够了/i;

function failing(error: ModelError): Reply {
  return { text: '', calls: [], error };
}

function busy(message: string, retryAfterMs: number): ModelError {
  return {
    kind: 'rate_limit',
    code: 'MODEL_RATE_LIMIT',
    message,
    retryable: true,
    status: 429,
    retryAfterMs,
  };
}

function full(message: string): ModelError {
  return { kind: 'context_overflow', code: 'MODEL_CONTEXT_OVERFLOW', message, retryable: false, status: 400 };
}

/** What the first step found out. */
function facts(results: readonly ToolResult[]): { time: string | null; entries: number | null } {
  const listed = results.find(({ tool, isError }) => tool === 'list_files' && !isError);
  const told = results.find(({ tool, isError }) => tool === 'datetime' && !isError);
  return {
    time: told?.text.split(' (', 1)[0] ?? null,
    entries: listed ? listed.text.split('\n').filter((line) => !/^\[.*\]$/.test(line)).length : null,
  };
}

/** The last answer: what happened, in a table; the file, as it was read back; what to try next. */
function report(progress: Progress, offered: ReadonlySet<string>): string {
  const { language, looked, wrote, checked, isCompacted } = progress;
  const say = tourWords[language];
  const fate = wrote && wrote.fate.kind !== 'withdrawn' ? wrote.fate : null;
  const ran = [
    ...(looked === null ? [] : lookTools.filter((tool) => offered.has(tool))),
    ...(fate?.kind === 'ran' || fate?.kind === 'failed' ? ['write_file'] : []),
    ...(checked ? ['read_file'] : []),
  ];
  const rows: Array<readonly [string, string]> = [
    ['thinking', say.thinking],
    ['backingOff', say.backingOff],
    ...(ran.length === 0 ? [] : [['tooling', say.tooling(ran.join(', '))] as const]),
    ...(fate === null ? [] : [['awaitingConfirm', say.asked(cutReason(fate))] as const]),
    ...(isCompacted ? [['compacting', say.compacting] as const] : []),
    ['done', say.done],
  ];
  return [
    language === 'zh' ? `**${say.end}。**` : `**${say.end}.**`,
    ...(ran.length === 0 && fate === null ? [say.noTools] : []),
    [say.tableHead, ['---', '---'], ...rows.map(([state, words]) => [`\`${state}\``, words])]
      .map((cells) => `| ${cells.join(' | ')} |`)
      .join('\n'),
    ...(checked ? [shownFile(checked, language)] : []),
    say.acted,
    [say.next, ...say.nextSteps.map((line) => `- ${line}`)].join('\n'),
  ].join('\n\n');
}

const maxEntries = 200;
const maxLines = 20;
const maxQuoted = 160;

function cutReason(fate: Fate): Fate {
  return fate.kind === 'ran' ? fate : { ...fate, why: shortened(fate.why).replaceAll('|', '¦') };
}

function shortened(text: string): string {
  const characters = Array.from(text.replace(/\s+/g, ' ').trim());
  return characters.length <= maxQuoted ? characters.join('') : `${characters.slice(0, maxQuoted).join('')}…`;
}

/** The file's text between fences that are longer than any in it. */
function shownFile({ args, text, isError }: ToolResult, language: Language): string {
  const say = tourWords[language];
  if (isError) return say.unread(shortened(text));
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((ticks) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${say.readBack(String(args.path).replaceAll('`', ''))}\n\n${fence}\n${text.trimEnd()}\n${fence}`;
}

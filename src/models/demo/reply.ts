import type { ModelRequest } from '../../ports/chat-model.ts';
import { type Language, languageOf } from './language.ts';
import { introduction, phrases } from './phrases.ts';
import { type Plan, planFor, secondRound } from './plan.ts';
import type { Reply, Situation } from './reply.types.ts';
import { ruleFor } from './rules/index.ts';
import type { DemoCall } from './rules/rule.ts';
import { remarks } from './speech.ts';
import { asksForMemory, asksForSummary, memoryOf, summaryOf } from './summary.ts';
import { tourReply } from './tour/script.ts';
import { readTurn, type ToolResult, type Turn } from './turn.ts';
import { understand } from './understand.ts';

/**
 * The demo's answer to a request: a pure function of its messages and tools.
 *
 * After at most two rounds of calls the answer is text, whatever the results were.
 */
export function replyTo(request: ModelRequest, situation: Situation): Reply {
  if (asksForSummary(request)) return { text: summaryOf(request), calls: [] };
  if (asksForMemory(request)) return { text: memoryOf(request), calls: [] };
  const tour = tourReply(request, situation);
  if (tour) return { ...tour, isTour: true };
  const turn = readTurn(request.messages);
  const offered = new Set(request.tools.map(({ name }) => name));
  const plan = planFor(turn.asked.flatMap(understand), offered);
  const language = languageOf(turn.asked.join('\n'));
  const say = phrases[language];
  const opening = isIntroduced(request) ? [] : [introduction[language]];

  const calls = nextCalls(plan, turn);
  if (calls.length > 0) {
    const words = opening.map((words) => `${words} ${say.calling(namesOf(calls))}`);
    return { text: words.join(''), calls };
  }
  const results = [...turn.earlier, ...turn.rounds.flat()];
  const untaken = turn.rounds.length === 1 ? plan.second.map(({ call }) => call) : [];
  const paragraphs = [
    ...opening,
    ...(turn.attached.length > 0 ? [say.unseen(turn.attached.join('; '))] : []),
    ...results.map((result) => report(result, language)),
    ...(untaken.length > 0 ? [say.stopped(namesOf(untaken))] : []),
    ...remarks(plan, results.length > 0, offered, language),
  ];
  return { text: paragraphs.join('\n\n'), calls: [] };
}

function nextCalls(plan: Plan, { rounds }: Turn): readonly DemoCall[] {
  if (rounds.length === 0) return plan.first;
  return rounds.length === 1 ? secondRound(plan, rounds[0] ?? []) : [];
}

function isIntroduced(request: ModelRequest): boolean {
  return request.messages.some(
    ({ role, text }) =>
      role === 'assistant' && (text.includes(introduction.en) || text.includes(introduction.zh)),
  );
}

function namesOf(calls: readonly DemoCall[]): string {
  return calls.map(({ tool }) => tool).join(', ');
}

const maxQuotedLength = 1_500;
const rejection = /\b(?:reject(?:ed|s|ion)?|declined)\b|拒绝/i;

/** One paragraph with the result of a call, quoting the tool. */
function report(result: ToolResult, language: Language): string {
  const { tool, args, isError } = result;
  const say = phrases[language];
  const rule = ruleFor(tool);
  const said = isError ? result.text : (rule?.readable?.(result.text) ?? result.text);
  const text = cut(said.trimEnd() || say.nothing, language);
  if (isError) return rejection.test(text) ? say.rejected(tool, text) : say.failed(tool, text);
  const title = rule?.title(args, language) ?? `${tool}: `;
  return text.includes('\n') ? `${title.trimEnd()}\n${fenced(text)}` : `${title}${text}`;
}

function cut(text: string, language: Language): string {
  if (text.length <= maxQuotedLength) return text;
  // Do not cut in the middle of a surrogate pair.
  const head = text.slice(0, maxQuotedLength).replace(/[\uD800-\uDBFF]$/, '');
  return `${head}\n${phrases[language].cut}`;
}

function fenced(text: string): string {
  const fence = text.includes('```') ? '~~~~' : '```';
  return `${fence}\n${text}\n${fence}`;
}

import type {
  FinishKind,
  ModelAnswer,
  ModelError,
  ModelErrorKind,
  TokenUsage,
} from '../../../protocol/content.ts';
import type { ModelRequest, PromptMessage, ResolvedModel } from '../../../protocol/ports.ts';
import { calculatorTool } from '../../../tools/builtin.ts';
import { toolSpec } from '../../../tools/registry.ts';

/** Why a trial failed: the kind of the model's failure, `no_tool_call`, or the code of our own error. */
export interface Problem {
  kind: ModelErrorKind | 'empty' | 'no_tool_call' | 'ended_early' | (string & {});
  message: string;
}

/** Result of one trial. */
export interface Trial {
  ok: boolean;
  problem: Problem | null;
  /** Time to the first piece of the answer; null without an answer. */
  firstPieceMs: number | null;
  totalMs: number;
  /** Null when the provider reported none. */
  usage: TokenUsage | null;
  /** As the provider spelled it. */
  finishReason: string | null;
}

const word: PromptMessage[] = [
  { role: 'system', text: 'Answer in one word.' },
  { role: 'user', text: 'Say hello.' },
];
const sum: PromptMessage[] = [
  { role: 'system', text: 'Use the calculator for everything that can be calculated.' },
  { role: 'user', text: 'What is 17 * 23?' },
];
const product = '391';

/** Asks for one word, with streaming. */
export async function tryText(model: ResolvedModel, timeoutMs: number): Promise<Trial> {
  const { answer, ...times } = await ask(model, { messages: word, tools: [] }, timeoutMs);
  const said = answer.text !== '' || answer.refusal !== '';
  const problem = whyBad(answer, timeoutMs) ?? (said ? null : nothing);
  return trialOf(answer, problem, times);
}

/** Asks a question that needs a tool, and sends the tool's result back. */
export async function tryTools(model: ResolvedModel, timeoutMs: number): Promise<Trial> {
  const calculator = toolSpec(calculatorTool());
  const tools = [calculator];
  const first = await ask(model, { messages: sum, tools }, timeoutMs);
  const call = first.answer.toolCalls.find((call) => call.name === calculator.name);
  const failed = whyBad(first.answer, timeoutMs) ?? (call ? null : noCall);
  if (failed || !call) return trialOf(first.answer, failed, first);

  const { text, reasoning, toolCalls, providerData } = first.answer;
  // Providers refuse calls without a result, and some give calls no id.
  const calls = toolCalls.map((call, i) => ({ ...call, id: call.id || `call_${i}` }));
  const messages: PromptMessage[] = [
    ...sum,
    { role: 'assistant', text, reasoning, toolCalls: calls, ...(providerData && { providerData }) },
    ...calls.map(({ id, name }): PromptMessage => {
      return { role: 'tool', toolCallId: id, name, text: product, isError: false };
    }),
  ];
  const second = await ask(model, { messages, tools }, timeoutMs);
  const problem = whyBad(second.answer, timeoutMs) ?? (second.answer.text === '' ? nothing : null);
  return trialOf(second.answer, problem, {
    firstPieceMs: first.firstPieceMs,
    totalMs: first.totalMs + second.totalMs,
  });
}

const nothing: Problem = { kind: 'empty', message: 'the answer was empty' };
const noCall: Problem = { kind: 'no_tool_call', message: 'the model answered without calling the tool' };

interface Times {
  firstPieceMs: number | null;
  totalMs: number;
}

async function ask(
  { chat, model, sendMaxOutputTokens, maxOutputTokens }: ResolvedModel,
  request: Pick<ModelRequest, 'messages' | 'tools'>,
  timeoutMs: number,
): Promise<{ answer: ModelAnswer } & Times> {
  const started = performance.now();
  let firstPieceMs: number | null = null;
  const answer = await chat.generate(
    { model, ...request, ...(sendMaxOutputTokens && { maxOutputTokens }) },
    {
      signal: AbortSignal.timeout(timeoutMs),
      idempotencyKey: crypto.randomUUID(),
      onDelta() {
        firstPieceMs ??= Math.round(performance.now() - started);
      },
    },
  );
  return { answer, firstPieceMs, totalMs: Math.round(performance.now() - started) };
}

/** The answer's failure, as a run would judge it: truncated and filtered answers fail. */
function whyBad({ error, finish }: ModelAnswer, timeoutMs: number): Problem | null {
  if (error) return problemOf(error, timeoutMs);
  const early: Partial<Record<FinishKind, string>> = {
    length: 'the answer was cut off at its maximum length; raise maxOutputTokens',
    contentFilter: 'a content filter of the provider stopped the answer',
  };
  const message = early[finish];
  return message === undefined ? null : { kind: 'ended_early', message };
}

/** Only the timeout aborts a trial. */
function problemOf({ kind, message }: ModelError, timeoutMs: number): Problem {
  if (kind !== 'aborted') return { kind, message };
  return { kind: 'timeout', message: `no answer within ${timeoutMs / 1_000} s` };
}

function trialOf({ usage, finishReason }: ModelAnswer, problem: Problem | null, times: Times): Trial {
  const { firstPieceMs, totalMs } = times;
  return { ok: problem === null, problem, firstPieceMs, totalMs, usage, finishReason };
}

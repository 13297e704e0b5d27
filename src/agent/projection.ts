import { DetentError } from '../protocol/error.ts';
import type { PromptMessage } from './chat-model.ts';
import type { AssistantBody, StoredMessage, ToolBody } from './messages.ts';

/**
 * A stretch of the conversation that must stay whole: one message of the user, or one answer with the results of all
 * its calls.
 */
export type Block = Place &
  ({ kind: 'user'; text: string } | { kind: 'answer'; body: AssistantBody; results: ToolBody[] });

interface Place {
  run: number;
  seq: number;
  /** The transition of its last row: results come later than their answer. */
  end: number;
}

/**
 * Orders a session's messages as its model calls saw them.
 *
 * A message that came while an answer was being made stands after that answer and its results: the model had not seen
 * it, and a call must be followed by its results. So each prompt begins with the one before it.
 *
 * @param messages of one session, in the order of writing.
 * @throws DetentError `INVALID_HISTORY` when a call has no result or two, which the log cannot hold.
 */
export function toBlocks(messages: readonly StoredMessage[]): Block[] {
  const blocks: Block[] = [];
  let start = 0;
  while (start < messages.length) {
    const run = messages[start]?.run;
    let end = start;
    while (end < messages.length && messages[end]?.run === run) end++;
    runBlocks(messages.slice(start, end), blocks);
    start = end;
  }
  return blocks;
}

function runBlocks(messages: readonly StoredMessage[], blocks: Block[]): void {
  const results = resultsByCall(messages);
  const waiting: Block[] = [];
  for (const message of messages) {
    const { run, seq } = message;
    if (message.role === 'user') waiting.push({ kind: 'user', run, seq, end: seq, text: message.body.text });
    if (message.role !== 'assistant') continue;
    const { body } = message;
    const seen = waiting.findIndex((block) => block.seq > body.upTo);
    blocks.push(...waiting.splice(0, seen === -1 ? waiting.length : seen));
    const answer = answerBlock(message, body, results);
    if (answer) blocks.push(answer);
  }
  blocks.push(...waiting);
  if (results.size > 0) throw invalid(`results without a call: ${[...results.keys()].join(', ')}`);
}

interface Result {
  seq: number;
  body: ToolBody;
}

function resultsByCall(messages: readonly StoredMessage[]): Map<number, Result> {
  const results = new Map<number, Result>();
  for (const { role, seq, body } of messages) {
    if (role !== 'tool') continue;
    if (results.has(body.callId)) throw invalid(`two results for call ${body.callId}`);
    results.set(body.callId, { seq, body });
  }
  return results;
}

/** Null for an answer that leaves nothing to show: no words and no calls. */
function answerBlock(
  { run, seq }: StoredMessage,
  body: AssistantBody,
  results: Map<number, Result>,
): Block | null {
  // An answer that broke off never had its calls taken up, so they are no part of the conversation.
  const calls = body.error ? [] : body.toolCalls;
  if (calls.length === 0 && body.text === '' && body.refusal === '') return null;
  const own = calls.map(({ callId }) => {
    const result = results.get(callId);
    if (!result) throw invalid(`no result for call ${callId}`);
    results.delete(callId);
    return result;
  });
  return {
    kind: 'answer',
    run,
    seq,
    end: Math.max(seq, ...own.map((result) => result.seq)),
    body: { ...body, toolCalls: calls },
    results: own.map((result) => result.body),
  };
}

function invalid(what: string): DetentError {
  return new DetentError(
    'INVALID_HISTORY',
    `the stored conversation is not valid: ${what}; please report this`,
  );
}

/** What the system prompt and the summary of older messages add to the blocks. */
export interface Frame {
  system: string;
  summary: string | null;
  /** `provider/model` of the call that is being made: only its own provider sees its private data again. */
  provider: string;
}

/**
 * The conversation as a model is given it. Pure; valid for every provider by construction: a call is followed by exactly
 * one result, in call order, and ids are unique in the prompt.
 */
export function toPrompt(blocks: readonly Block[], { system, summary, provider }: Frame): PromptMessage[] {
  const prompt: PromptMessage[] = [];
  if (system !== '') prompt.push({ role: 'system', text: system });
  if (summary !== null) prompt.push({ role: 'user', text: `${summaryHeading}\n\n${summary}` });
  const taken = new Set<string>();
  for (const block of blocks) {
    if (block.kind === 'user') {
      prompt.push({ role: 'user', text: block.text });
      continue;
    }
    const { body, results, run } = block;
    const ids = body.toolCalls.map(({ id, callId }) => {
      // Some providers send no id, or start from call_0 in every answer.
      const unique = id === '' || taken.has(id) ? `call_${run}_${callId}` : id;
      taken.add(unique);
      return unique;
    });
    prompt.push({
      role: 'assistant',
      text: body.text || body.refusal,
      reasoning: body.reasoning,
      toolCalls: body.toolCalls.map((call, i) => ({
        id: ids[i] ?? '',
        name: call.name,
        arguments: call.arguments,
      })),
      ...(body.providerData &&
        providerOf(body.provider) === providerOf(provider) && { providerData: body.providerData }),
    });
    results.forEach((result, i) => {
      prompt.push({
        role: 'tool',
        toolCallId: ids[i] ?? '',
        name: body.toolCalls[i]?.name ?? '',
        text: result.text,
        isError: result.isError,
      });
    });
  }
  return prompt;
}

export const summaryHeading = '[Summary of the conversation before this point]';

function providerOf(model: string): string {
  return model.split('/', 1)[0] ?? '';
}

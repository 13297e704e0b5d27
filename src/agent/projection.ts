import { DetentError } from '../protocol/error.ts';
import type { StoredPart } from '../protocol/parts.ts';
import type { PromptMessage } from './chat-model.ts';
import type { AssistantBody, StoredMessage, ToolBody } from './messages.ts';
import { type PartsToSend, partsKey, withParts } from './parts-to-send.ts';
import { type Position, withoutOldResults } from './pruning.ts';

/**
 * A stretch of the conversation that must stay whole: one message of the user, or one answer with the results of all
 * its calls.
 */
export type Block = Place &
  (
    | { kind: 'user'; text: string; parts?: StoredPart[] }
    | { kind: 'answer'; body: AssistantBody; results: ToolBody[] }
  );

interface Place {
  run: number;
  seq: number;
  /** The transition of its last row: results come later than their answer. */
  end: number;
}

/** Messages do not change, so neither do their blocks: what is weighed or written of one is kept with it. */
const made = new WeakMap<StoredMessage, Block>();

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
    if (message.role === 'user')
      waiting.push(kept(message, () => ({ kind: 'user', run, seq, end: seq, ...message.body })));
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

/** Null for an answer that leaves nothing to show: no words but white space, and no calls. */
function answerBlock(
  message: StoredMessage,
  body: AssistantBody,
  results: Map<number, Result>,
): Block | null {
  // An answer that broke off never had its calls taken up, so they are no part of the conversation.
  const calls = body.error ? [] : body.toolCalls;
  if (calls.length === 0 && body.text.trim() === '' && body.refusal === '') return null;
  const own = calls.map(({ callId }) => {
    const result = results.get(callId);
    if (!result) throw invalid(`no result for call ${callId}`);
    results.delete(callId);
    return result;
  });
  const { run, seq } = message;
  return kept(message, () => ({
    kind: 'answer',
    run,
    seq,
    end: Math.max(seq, ...own.map((result) => result.seq)),
    body: { ...body, toolCalls: calls },
    results: own.map((result) => result.body),
  }));
}

function kept(message: StoredMessage, make: () => Block): Block {
  const block = made.get(message) ?? make();
  made.set(message, block);
  return block;
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
  /** Up to where long tool results are shortened; without it none is. */
  pruned?: Position;
  /** What becomes of images and documents; without it they are only mentioned. */
  sent?: PartsToSend;
  /** What hooks of the host add. */
  added?: AddedContext;
}

/** Texts that stand in prompts but not in the conversation. */
export interface AddedContext {
  /** The run's key in the database. */
  run: number;
  /** Before the run's own messages, so that they stand where they stood in the prompt before. */
  start: readonly string[];
  /** Of this one call: before the last message of the user, or after the results of the last answer. */
  now: readonly string[];
}

/**
 * The conversation as a model is given it. Pure; valid for every provider by construction: a call is followed by exactly
 * one result, in call order, and ids are unique in the prompt.
 */
export function toPrompt(blocks: readonly Block[], frame: Frame): PromptMessage[] {
  const { system, summary, provider, pruned, sent, added } = frame;
  const prompt: PromptMessage[] = [];
  if (system !== '') prompt.push({ role: 'system', text: system });
  if (summary !== null) prompt.push({ role: 'user', text: `${summaryHeading}\n\n${summary}` });
  const taken = new Set<string>();
  const start = (added?.start ?? []).map(inUserRole);
  for (const block of pruned ? withoutOldResults(blocks, pruned) : blocks) {
    if (block.run === added?.run) prompt.push(...start.splice(0));
    if (block.kind === 'user') {
      const { text, parts } = block;
      prompt.push(
        ...written(block, partsKey(block, sent), () => [{ role: 'user', ...withParts(text, parts, sent) }]),
      );
      continue;
    }
    const { body, run } = block;
    const ids = body.toolCalls.map(({ id, callId }) => {
      // Some providers send no id, or start from call_0 in every answer.
      let unique = id === '' || taken.has(id) ? `call_${run}_${callId}` : id;
      // And a model that has read such an id may write it.
      while (taken.has(unique)) unique += '_';
      taken.add(unique);
      return unique;
    });
    const isOwn = providerOf(body.provider) === providerOf(provider);
    const as = `${isOwn} ${ids.join(' ')}${partsKey(block, sent)}`;
    prompt.push(...written(block, as, () => answerMessages(block, ids, isOwn, sent)));
  }
  prompt.push(...start);
  const now = (added?.now ?? []).map(inUserRole);
  prompt.splice(prompt.at(-1)?.role === 'user' ? -1 : prompt.length, 0, ...now);
  return prompt;
}

function inUserRole(text: string): PromptMessage {
  return { role: 'user', text };
}

function answerMessages(
  { body, results }: Block & { kind: 'answer' },
  ids: readonly string[],
  isOwn: boolean,
  sent: PartsToSend | undefined,
): PromptMessage[] {
  return [
    {
      role: 'assistant',
      text: body.text || body.refusal,
      reasoning: body.reasoning,
      toolCalls: body.toolCalls.map((call, i) => ({
        id: ids[i] ?? '',
        name: call.name,
        arguments: call.arguments,
      })),
      ...(body.providerData && isOwn && { providerData: body.providerData }),
    },
    ...results.map((result, i) => ({
      role: 'tool' as const,
      toolCallId: ids[i] ?? '',
      name: body.toolCalls[i]?.name ?? '',
      ...withParts(result.text, result.parts, sent),
      isError: result.isError,
    })),
  ];
}

const writings = new WeakMap<Block, { as: string; messages: readonly PromptMessage[] }>();

/** The same objects as long as a block is written in the same way, so that what they weigh need not be found again. */
function written(block: Block, as: string, write: () => PromptMessage[]): readonly PromptMessage[] {
  const known = writings.get(block);
  if (known?.as === as) return known.messages;
  const messages = write();
  writings.set(block, { as, messages });
  return messages;
}

/** How the text of a hook begins. */
export const addedHeading = '[Added by the hook';

export const summaryHeading = '[Summary of the conversation before this point]';

function providerOf(model: string): string {
  return model.split('/', 1)[0] ?? '';
}

import { DetentError } from '../../protocol/error.ts';
import type { StoredPart } from '../../protocol/parts.ts';
import type { AssistantBody, StoredMessage, ToolBody, UserBody } from '../../records/messages.ts';

/**
 * A part of the conversation that must stay whole: one message of the user, or one answer with the results of all
 * its calls.
 */
export type Block = UserBlock | AnswerBlock;

interface Place {
  run: number;
  seq: number;
  /** The transition of its last row: results come later than their answer. */
  end: number;
}

/** A block caches values derived from it, since it never changes. */
abstract class Derivable {
  readonly #derived = new Map<unknown, unknown>();

  /** The cached result of a function of this block. The function must depend on nothing else. */
  derive<B extends Derivable, T>(this: B, make: (block: B) => T): T {
    const known = this.#derived.get(make);
    if (known !== undefined) return known as T;
    const made = make(this);
    this.#derived.set(make, made);
    return made;
  }
}

export class UserBlock extends Derivable implements Place {
  readonly kind = 'user';
  readonly run: number;
  readonly seq: number;
  readonly end: number;
  readonly text: string;
  readonly parts: StoredPart[] | undefined;

  constructor({ run, seq, end }: Place, { text, parts }: UserBody) {
    super();
    this.run = run;
    this.seq = seq;
    this.end = end;
    this.text = text;
    this.parts = parts;
  }
}

export class AnswerBlock extends Derivable implements Place {
  readonly kind = 'answer';
  readonly run: number;
  readonly seq: number;
  readonly end: number;
  readonly body: AssistantBody;
  readonly results: readonly ToolBody[];

  constructor({ run, seq, end }: Place, body: AssistantBody, results: readonly ToolBody[]) {
    super();
    this.run = run;
    this.seq = seq;
    this.end = end;
    this.body = body;
    this.results = results;
  }

  /** The same answer with other texts of its results. */
  withResults(results: readonly ToolBody[]): AnswerBlock {
    return new AnswerBlock(this, this.body, results);
  }
}

/**
 * Orders a session's messages as its model calls saw them.
 *
 * A message that arrived during a model call comes after that call's answer and its results: the model had not seen it,
 * and results must follow their call. So each prompt begins with the prompt before it.
 *
 * @param messages of one session, in the order of writing.
 * @param made the blocks of earlier calls, by their first message; the function adds new ones. Messages do not change,
 * so neither do their blocks.
 * @throws DetentError `INVALID_HISTORY` when a call has no result or two, which the log cannot hold.
 */
export function toBlocks(
  messages: readonly StoredMessage[],
  made: Map<StoredMessage, Block> = new Map(),
): Block[] {
  const blocks: Block[] = [];
  let start = 0;
  while (start < messages.length) {
    const run = messages[start]?.run;
    let end = start;
    while (end < messages.length && messages[end]?.run === run) end++;
    runBlocks(messages.slice(start, end), made, blocks);
    start = end;
  }
  return blocks;
}

function runBlocks(
  messages: readonly StoredMessage[],
  made: Map<StoredMessage, Block>,
  blocks: Block[],
): void {
  const results = resultsByCall(messages);
  const waiting: Block[] = [];
  for (const message of messages) {
    const { run, seq } = message;
    if (message.role === 'user')
      waiting.push(kept(made, message, () => new UserBlock({ run, seq, end: seq }, message.body)));
    if (message.role !== 'assistant') continue;
    const { body } = message;
    const seen = waiting.findIndex((block) => block.seq > body.upTo);
    blocks.push(...waiting.splice(0, seen === -1 ? waiting.length : seen));
    const answer = answerBlock(made, message, body, results);
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

/** Null for an answer without calls and with only white space. */
function answerBlock(
  made: Map<StoredMessage, Block>,
  message: StoredMessage,
  body: AssistantBody,
  results: Map<number, Result>,
): Block | null {
  // The calls of an interrupted answer never ran, so they are not part of the conversation.
  const calls = body.error ? [] : body.toolCalls;
  if (calls.length === 0 && body.text.trim() === '' && body.refusal === '') return null;
  const own = calls.map(({ callId }) => {
    const result = results.get(callId);
    if (!result) throw invalid(`no result for call ${callId}`);
    results.delete(callId);
    return result;
  });
  const { run, seq } = message;
  const end = Math.max(seq, ...own.map((result) => result.seq));
  const bodies = own.map((result) => result.body);
  return kept(made, message, () => new AnswerBlock({ run, seq, end }, { ...body, toolCalls: calls }, bodies));
}

function kept(made: Map<StoredMessage, Block>, message: StoredMessage, make: () => Block): Block {
  const known = made.get(message);
  if (known) return known;
  const block = make();
  made.set(message, block);
  return block;
}

function invalid(what: string): DetentError {
  return new DetentError(
    'INVALID_HISTORY',
    `the stored conversation is not valid: ${what}; please report this`,
  );
}

import type { StoredPart } from '../../protocol/content.ts';
import { DetentError } from '../../protocol/error.ts';
import { staffHeading } from '../../protocol/ports.ts';
import {
  type AssistantBody,
  type StaffBody,
  type StoredMessage,
  type ToolBody,
  taintOfWords,
  type UserBody,
} from '../../store/stored-message.ts';

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
  /** Whether a person said it: no untrusted text is in it. */
  readonly isOwn: boolean;

  constructor({ run, seq, end }: Place, body: UserBody, isOwn = taintOfWords(body).length === 0) {
    super();
    const { text, parts } = body;
    this.run = run;
    this.seq = seq;
    this.end = end;
    this.text = text;
    this.parts = parts;
    this.isOwn = isOwn;
  }
}

/** The heading of words of the staff, however it is spelt, which nobody else may write. */
const heading = new RegExp(
  staffHeading
    .slice(1, -1)
    .split(/[^\p{L}]+/u)
    .join('[^\\p{L}]*'),
  'giu',
);

/** The message of a user as the model reads it: the words of the staff are those of the staff alone. */
function wordsOf(body: UserBody): UserBody {
  const text = body.text.replace(heading, '[words of the staff, says the user]');
  return text === body.text ? body : { ...body, text };
}

/** What the staff said, as the model reads it: it knows who spoke, and that it is no order. */
function staffWords({ text, name }: StaffBody): UserBody {
  return {
    text: `${staffHeading}\n${JSON.stringify({ from: 'staff', ...(name !== undefined && { name }), text })}`,
  };
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
 * Messages do not change, so neither do their blocks: each call of a run adds only the messages since the call before.
 */
export class BlockList {
  readonly #blocks: Block[] = [];
  /** Messages of the user that no answer of their run has seen yet. */
  #waiting: Block[] = [];
  #run: number | undefined;

  /** All blocks so far. */
  all(): Block[] {
    return [...this.#blocks, ...this.#waiting];
  }

  /**
   * @param messages in the order of writing, each answer with the results of all its calls.
   * @throws DetentError `INVALID_HISTORY` when a call has no result or two, which the log cannot hold.
   */
  add(messages: readonly StoredMessage[]): void {
    let start = 0;
    while (start < messages.length) {
      const run = messages[start]?.run;
      let end = start;
      while (end < messages.length && messages[end]?.run === run) end++;
      if (run !== this.#run) this.#settle();
      this.#run = run;
      this.#addOfRun(messages.slice(start, end));
      start = end;
    }
  }

  #settle(): void {
    this.#blocks.push(...this.#waiting);
    this.#waiting = [];
  }

  #addOfRun(messages: readonly StoredMessage[]): void {
    const results = resultsByCall(messages);
    for (const message of messages) {
      const { run, seq } = message;
      const place = { run, seq, end: seq };
      if (message.role === 'user') this.#waiting.push(new UserBlock(place, wordsOf(message.body)));
      if (message.role === 'staff') this.#waiting.push(new UserBlock(place, staffWords(message.body), false));
      if (message.role !== 'assistant') continue;
      const { body } = message;
      const seen = this.#waiting.findIndex((block) => block.seq > body.upTo);
      this.#blocks.push(...this.#waiting.splice(0, seen === -1 ? this.#waiting.length : seen));
      const answer = answerBlock(message, body, results);
      if (answer) this.#blocks.push(answer);
    }
    if (results.size > 0) throw invalidHistory(`results without a call: ${[...results.keys()].join(', ')}`);
  }
}

/** The blocks of whole runs; see {@link BlockList}. */
export function toBlocks(messages: readonly StoredMessage[]): Block[] {
  const list = new BlockList();
  list.add(messages);
  return list.all();
}

interface Result {
  seq: number;
  body: ToolBody;
}

function resultsByCall(messages: readonly StoredMessage[]): Map<number, Result> {
  const results = new Map<number, Result>();
  for (const { role, seq, body } of messages) {
    if (role !== 'tool') continue;
    if (results.has(body.callId)) throw invalidHistory(`two results for call ${body.callId}`);
    results.set(body.callId, { seq, body });
  }
  return results;
}

/** Null for an answer without calls and with only white space. */
function answerBlock(
  { run, seq }: StoredMessage,
  body: AssistantBody,
  results: Map<number, Result>,
): Block | null {
  // The calls of an interrupted answer never ran, so they are not part of the conversation.
  const calls = body.error ? [] : body.toolCalls;
  if (calls.length === 0 && body.text.trim() === '' && body.refusal === '') return null;
  const own = calls.map(({ callId }) => {
    const result = results.get(callId);
    if (!result) throw invalidHistory(`no result for call ${callId}`);
    results.delete(callId);
    return result;
  });
  const end = Math.max(seq, ...own.map((result) => result.seq));
  const bodies = own.map((result) => result.body);
  return new AnswerBlock({ run, seq, end }, { ...body, toolCalls: calls }, bodies);
}

function invalidHistory(what: string): DetentError {
  return new DetentError(
    'INVALID_HISTORY',
    `the stored conversation is not valid: ${what}; please report this`,
  );
}

import type { RunDelta, RunEvent, RunView } from '../../index.ts';
import type { Usage } from '../../protocol/content.ts';
import type { SseBody } from '../http/sse-body.ts';
import type { OpenAiError } from './error.ts';
import { failed } from './follow-run.ts';
import { type ClientCall, Reply } from './reply.ts';
import { SaidSoFar } from './said-so-far.ts';

/** What all pieces of one completion share. */
interface Head {
  id: string;
  created: number;
  model: string;
}

export function headOf(id: string, model: string): Head {
  return { id, created: Math.floor(Date.now() / 1000), model };
}

/**
 * A reply that is over, as a completion.
 *
 * @param ended the run, if it has ended
 * @throws DetentError `RUN_FAILED`.
 */
export function completionOf(head: Head, reply: Reply, ended: RunView | null) {
  const message = { role: 'assistant' as const, ...chatMessage(reply, ended) };
  const choice = { index: 0, message, logprobs: null, finish_reason: finishOf(ended) };
  return { ...head, object: 'chat.completion' as const, choices: [choice], ...usageOf(reply) };
}

/** @throws DetentError `RUN_FAILED`. */
function chatMessage({ answers, calls }: Reply, ended: RunView | null) {
  if (!ended) {
    const { text = '', refusal = '' } = answers.at(-1) ?? {};
    return { content: text || null, refusal: refusal || null, tool_calls: calls.map(toolCall) };
  }
  const refusal = ended.steps.at(-1)?.refusal ?? '';
  finishOf(ended);
  return { content: refusal !== '' && ended.text === '' ? null : ended.text, refusal: refusal || null };
}

function toolCall({ id, name, arguments: args }: ClientCall) {
  return { id, type: 'function' as const, function: { name, arguments: args } };
}

/**
 * @param ended null for a reply that ends with calls for the client
 * @throws DetentError `RUN_FAILED` for a run whose last words are no answer.
 */
function finishOf(ended: RunView | null): 'stop' | 'length' | 'content_filter' | 'tool_calls' {
  if (!ended) return 'tool_calls';
  const { outcome } = ended;
  if (outcome === 'completed' || outcome === 'completed_degraded' || outcome === 'refused') return 'stop';
  if (outcome === 'truncated') return 'length';
  if (outcome === 'content_filtered') return 'content_filter';
  throw failed(ended);
}

/** Its usage, if the client may know it. */
function usageOf({ usage }: Reply) {
  return usage && { usage: inTokens(usage) };
}

function inTokens(usage: Usage) {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedInputTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}

/** A completion as it streams. */
export class ChatStream {
  readonly reply: Reply;
  readonly #body: SseBody;
  readonly #head: Head;
  readonly #withUsage: boolean;
  readonly #isWhole: boolean;
  readonly #said = new SaidSoFar();
  #hasSaid = false;

  /** @param isWhole whether the answer is sent in one piece: with a schema, what does not fit is said again. */
  constructor(
    body: SseBody,
    head: Head,
    options: { withUsage: boolean; isWhole: boolean; isCounted: boolean },
  ) {
    this.reply = new Reply(options.isCounted);
    this.#body = body;
    this.#head = head;
    this.#withUsage = options.withUsage && options.isCounted;
    this.#isWhole = options.isWhole;
    this.#chunk({ role: 'assistant', content: '' }, null);
  }

  take(event: RunEvent | RunDelta): void {
    for (const { kind, isNew, text } of this.#isWhole ? [] : this.#said.take(event)) {
      // What the agent says between its tool calls is part of the stream.
      this.#delta(kind, isNew && this.#hasSaid ? `\n\n${text}` : text);
      this.#hasSaid = true;
    }
    this.reply.take(event);
  }

  /** @throws DetentError `RUN_FAILED`. */
  async end(ended: RunView | null): Promise<void> {
    const finish = finishOf(ended);
    const { content, refusal } = chatMessage(this.reply, ended);
    await this.#body.ready();
    if (!this.#hasSaid && content) this.#delta('text', content);
    if (!this.#hasSaid && refusal) this.#delta('refusal', refusal);
    for (const [index, call] of (ended ? [] : this.reply.calls).entries()) {
      const { id, type, function: called } = toolCall(call);
      this.#chunk({ tool_calls: [{ index, id, type, function: { ...called, arguments: '' } }] }, null);
      this.#chunk({ tool_calls: [{ index, function: { arguments: called.arguments } }] }, null);
      await this.#body.ready();
    }
    this.#chunk({}, finish);
    if (this.#withUsage) this.#send({ choices: [], ...usageOf(this.reply) });
    this.#done();
  }

  fail(error: OpenAiError): void {
    this.#body.send({ error });
    this.#done();
  }

  #done(): void {
    this.#body.send('[DONE]');
    this.#body.close();
  }

  #delta(kind: 'text' | 'refusal', text: string): void {
    this.#chunk(kind === 'text' ? { content: text } : { refusal: text }, null);
  }

  #chunk(delta: object, finish: string | null): void {
    this.#send({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] });
  }

  #send(rest: object): void {
    const usage = this.#withUsage ? { usage: null } : {};
    this.#body.send({ ...this.#head, object: 'chat.completion.chunk', ...usage, ...rest });
  }
}

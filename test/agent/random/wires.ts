import { isDeepStrictEqual } from 'node:util';
import { messagesRequestBody } from '../../../src/models/anthropic/messages-request.ts';
import { quirksOf } from '../../../src/models/catalogue/presets.ts';
import { chatRequestBody } from '../../../src/models/openai/chat-request.ts';
import { lessReliance } from '../../../src/models/openai/responses/responses.ts';
import {
  type Reliance,
  responsesRequestBody,
} from '../../../src/models/openai/responses/responses-request.ts';
import { modelError } from '../../../src/models/wire/model-error.ts';
import type { ModelAnswer, ModelError } from '../../../src/protocol/content.ts';
import { isObject, parseJson } from '../../../src/protocol/json.ts';
import type { ModelRequest } from '../../../src/protocol/ports/chat-model.ts';
import { stateless } from '../../models/support/generate.ts';
import { requestViolations } from '../../support/wire-rules/anthropic-messages.ts';
import { chatCompletionViolations } from '../../support/wire-rules/openai-chat.ts';
import { responsesViolations } from '../../support/wire-rules/openai-responses.ts';
import { type Fields, listOf } from '../../support/wire-rules/rule.ts';
import { type Saying, speak, type Wire } from './voices.ts';

/** A request that its wire would refuse. */
interface Violation {
  /** `chat openai`, `responses whole`, `messages`. */
  of: string;
  wrong: string[];
  body: unknown;
}

/** Servers of the chat wire that differ in what they refuse, with the quirks of such a provider. */
const chatServers = (
  [
    ['openai', 'openai'],
    ['mistral', 'mistral'],
    ['thinking', 'moonshot'],
    ['gateway', 'openrouter'],
  ] as const
).map(([rules, provider]) => ({ rules, provider, quirks: quirksOf('', provider) }));

export const threaded: Reliance = {
  store: true,
  thread: true,
  include: false,
  items: true,
  strict: true,
  output: true,
};

/**
 * Builds the body of every model call on all wires, by the same functions as the adapters, and holds it against the rules
 * of the wire; stands in for the servers that keep responses.
 */
export class RandomWires {
  readonly violations: Violation[] = [];
  readonly count = { chat: 0, responses: 0, messages: 0, threaded: 0, lost: 0 };
  /** What a Responses server holds of each response: all that it was given, and its output. */
  readonly #kept = new Map<string, Fields[]>();
  readonly #signed = new Set<string>();
  #ids = 0;
  #turns = 0;

  /** Checks what each wire would send: each time as one of its servers, or in one of its ways, in turn. */
  check(request: ModelRequest): void {
    const turn = this.#turns++;
    const { rules, provider, quirks } = chatServers[
      turn % chatServers.length
    ] as (typeof chatServers)[number];
    const chat = chatRequestBody(request, quirks);
    this.#hold('chat', `chat ${provider}`, chat, chatCompletionViolations(chat, rules));

    const reliance = turn % 4 === 3 ? { ...stateless, items: false, strict: false } : stateless;
    const responses = responsesRequestBody(request, reliance);
    this.#hold('responses', 'responses whole', responses, responsesViolations(responses));

    const thinking = turn % 2 === 0 ? null : { budgetTokens: 2_000 };
    const messages = messagesRequestBody(request, { maxTokens: null, promptCaching: true, thinking });
    this.#hold('messages', 'messages', messages, requestViolations(messages, { signed: this.#signed }));
  }

  #hold(wire: Wire, of: string, body: unknown, wrong: string[]): void {
    this.count[wire]++;
    if (wrong.length > 0) this.violations.push({ of, wrong, body });
  }

  /** Has the model of a wire answer a request. */
  ask(
    wire: Wire,
    request: ModelRequest,
    threading: boolean,
    saying: Saying,
    failure: ModelError | null,
  ): ModelAnswer {
    const context = wire === 'responses' && threading ? this.#reach(request) : [];
    const { answer, output, signed } = speak(
      wire,
      saying,
      { model: request.model, messages: request.messages, threading, nextId: () => this.#ids++ },
      failure,
    );
    for (const block of signed) this.#signed.add(block);
    const [head, ...items] = output;
    if (head && threading && !failure) this.#kept.set(String(head.id), [...context, ...items]);
    return answer;
  }

  /** The servers forget what they kept. */
  forget(): void {
    this.#kept.clear();
  }

  /** What a server that keeps responses has before it when it answers: asked as the adapter asks it. */
  #reach(request: ModelRequest): Fields[] {
    let reliance: Reliance = threaded;
    let body = responsesRequestBody(request, reliance);
    const previous = body.previous_response_id;
    if (previous !== undefined && !this.#kept.has(String(previous))) {
      this.count.lost++;
      const refusal = modelError('bad_request', `Previous response with id '${previous}' not found.`);
      reliance = lessReliance(reliance, refusal) ?? reliance;
      body = responsesRequestBody(request, reliance);
    }
    const kept =
      body.previous_response_id === undefined ? null : this.#kept.get(String(body.previous_response_id));
    this.#hold('responses', 'responses threaded', body, responsesViolations(body, kept ?? null));
    const context = [...(kept ?? []), ...listOf(body.input)];
    if (kept) {
      this.count.threaded++;
      this.#compare(context, responsesRequestBody(request, { ...stateless, store: true }), body);
    }
    return context;
  }

  /** What the server has and what comes to it must be the conversation, nothing lost and nothing doubled. */
  #compare(context: readonly Fields[], everything: Fields, body: Fields): void {
    const [had, wanted] = [said(context), said(listOf(everything.input))];
    if (isDeepStrictEqual(had, wanted)) return;
    const at = wanted.findIndex((item, i) => !isDeepStrictEqual(item, had[i]));
    const wrong = [
      `a thread differs at item ${at}: ${JSON.stringify(had[at])} for ${JSON.stringify(wanted[at])}`,
    ];
    this.violations.push({ of: 'responses threaded', wrong, body });
  }
}

/** What was said, without what only one of the two forms has: reasoning, ids, and what cannot be sent back as it was. */
function said(items: readonly Fields[]): unknown[] {
  return items
    .filter(({ type }) => type === 'message' || type === 'function_call' || type === 'function_call_output')
    .map(({ type, role, content, name, arguments: args, output }) => {
      const parts = listOf(content);
      const text =
        typeof content === 'string' ? content : parts.map((part) => part.text ?? part.refusal).join('');
      const sent = isObject(parseJson(String(args))) ? args : '{}';
      return {
        type,
        ...(type === 'message' && { role, text: text.toWellFormed() }),
        ...(type === 'function_call' && {
          name:
            String(name)
              .replace(/[^\w-]/g, '_')
              .slice(0, 64) || 'unknown',
          args: sent,
        }),
        ...(type === 'function_call_output' && { output }),
      };
    });
}

import type { RunDelta, RunEvent, RunView } from '../../index.ts';
import type { SseBody } from '../http/sse-body.ts';
import type { OpenAiError } from './error.ts';
import { type ClientCall, Reply } from './reply.ts';
import {
  begunResponse,
  callItem,
  completed,
  endOf,
  type Item,
  incomplete,
  itemOf,
  type MessageItem,
  type ResponseHead,
  respond,
  type State,
  stateOf,
  underWay,
  words,
} from './responses.ts';
import { SaidSoFar } from './said-so-far.ts';

/** A response as it streams: typed events with numbers, in the order of OpenAI's own. */
export class ResponseStream {
  readonly reply: Reply;
  readonly #body: SseBody;
  readonly #head: ResponseHead;
  readonly #isWhole: boolean;
  readonly #said = new SaidSoFar();
  readonly #output: Item[] = [];
  /** The message that is being said. */
  #message: MessageItem | null = null;
  #next = 0;
  #answer: string | null = null;
  #open: { kind: 'text' | 'refusal'; text: string } | null = null;

  /**
   * @param isWhole whether the answer is sent in one piece: with a schema, an answer that does not fit is replaced by
   * another one.
   */
  constructor(body: SseBody, head: ResponseHead, options: { isWhole: boolean; isCounted: boolean }) {
    const { isWhole, isCounted } = options;
    this.reply = new Reply(isCounted);
    this.#body = body;
    this.#head = head;
    this.#isWhole = isWhole;
    this.#send('response.created', { response: begunResponse(head, 'in_progress') });
    this.#send('response.in_progress', { response: begunResponse(head, 'in_progress') });
  }

  take(event: RunEvent | RunDelta): void {
    for (const piece of this.#isWhole ? [] : this.#said.take(event))
      this.#say(piece.answer, piece.kind, piece.text);
    this.reply.take(event);
    // The text of this attempt is withdrawn: the next attempt has an item of its own.
    if (event.event === 'assistant.reset') this.#endMessage('incomplete', 'commentary');
  }

  async end(ended: RunView | null): Promise<void> {
    const { text = '', refusal = '' } = this.reply.answers.at(-1) ?? {};
    await this.#body.ready();
    if (this.#output.length === 0 && text !== '') this.#say('whole', 'text', text);
    if (this.#output.length === 0 && refusal !== '') this.#say('whole', 'refusal', refusal);
    const state = ended ? stateOf(ended) : completed;
    this.#endMessage(
      state.status === 'incomplete' ? 'incomplete' : 'completed',
      ended ? 'final_answer' : 'commentary',
    );
    await this.#body.ready();
    for (const call of this.reply.calls) {
      this.#call(call);
      await this.#body.ready();
    }
    this.#finish(state, ended);
  }

  fail({ code, message }: OpenAiError): void {
    this.#endMessage('incomplete', 'commentary');
    const error = { code: code ?? 'server_error', message };
    const isWaiting = code === 'RUN_WAITS';
    this.#finish(
      isWaiting ? { ...incomplete('waiting_for_person'), error } : { ...underWay, status: 'failed', error },
      null,
    );
  }

  #finish(state: State, ended: RunView | null): void {
    const isOver = ended !== null || this.reply.end !== null;
    const response = respond(this.#head, state, this.#output, isOver ? endOf(this.reply, ended) : null);
    const type = state.status === 'cancelled' ? 'failed' : state.status;
    this.#send(`response.${type}`, { response });
    this.#body.close();
  }

  /** A call that the client must perform. */
  #call(call: ClientCall): void {
    const item = callItem(call);
    this.#output.push(item);
    const output_index = this.#output.length - 1;
    const place = { item_id: item.id, output_index };
    const { name, arguments: args } = call;
    this.#send('response.output_item.added', {
      output_index,
      item: { ...item, status: 'in_progress', arguments: '' },
    });
    this.#send('response.function_call_arguments.delta', { ...place, delta: args });
    this.#send('response.function_call_arguments.done', { ...place, name, arguments: args });
    this.#send('response.output_item.done', { output_index, item });
  }

  #say(answer: string, kind: 'text' | 'refusal', text: string): void {
    if (answer !== this.#answer) {
      this.#endMessage('completed', 'commentary');
      this.#answer = answer;
      this.#message = itemOf(this.#head.id, this.#output.length + 1);
      this.#output.push(this.#message);
      this.#send('response.output_item.added', {
        output_index: this.#output.length - 1,
        item: this.#message,
      });
    }
    if (this.#open?.kind !== kind) {
      this.#endPart();
      this.#open = { kind, text: '' };
      this.#send('response.content_part.added', { ...this.#place(), part: words(kind, '') });
    }
    this.#open.text += text;
    const type = kind === 'text' ? 'output_text' : 'refusal';
    this.#send(`response.${type}.delta`, {
      ...this.#place(),
      delta: text,
      ...(kind === 'text' && { logprobs: [] }),
    });
  }

  #endPart(): void {
    if (!this.#open) return;
    const { kind, text } = this.#open;
    const place = this.#place();
    if (kind === 'text') this.#send('response.output_text.done', { ...place, text, logprobs: [] });
    else this.#send('response.refusal.done', { ...place, refusal: text });
    this.#send('response.content_part.done', { ...place, part: words(kind, text) });
    this.#open = null;
    this.#message?.content.push(words(kind, text));
  }

  #endMessage(status: 'completed' | 'incomplete', phase: 'commentary' | 'final_answer'): void {
    const item = this.#message;
    if (!item) return;
    this.#endPart();
    Object.assign(item, { status, phase });
    this.#answer = null;
    this.#message = null;
    this.#send('response.output_item.done', { output_index: this.#output.length - 1, item });
  }

  #place() {
    const output_index = this.#output.length - 1;
    return {
      item_id: this.#message?.id ?? '',
      output_index,
      content_index: this.#message?.content.length ?? 0,
    };
  }

  #send(type: string, rest: object): void {
    this.#body.send({ type, sequence_number: this.#next++, ...rest }, type);
  }
}

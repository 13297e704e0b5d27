import type { RunDelta, RunEvent, RunView } from '../../index.ts';
import type { OpenAiError } from './error.ts';
import { failed } from './follow-run.ts';
import { SaidSoFar } from './said-so-far.ts';
import type { SseBody } from './sse-body.ts';

/** What a response repeats of its request. */
export interface ResponseHead {
  id: string;
  createdAt: number;
  model: string;
  sessionId: string;
  previous: string | null;
  format: object;
  isBackground: boolean;
  metadata: Record<string, string>;
}

/** What is kept of a request with its run. */
export function headOfRun(view: RunView): ResponseHead {
  const { runId: id, createdAt, agent = 'default', sessionId, after = null, metadata = {} } = view;
  const { outputSchema: schema } = view;
  return {
    id,
    createdAt: Math.floor(createdAt / 1000),
    model: agent,
    sessionId,
    previous: after,
    format: schema ? { type: 'json_schema', name: 'output', schema } : { type: 'text' },
    isBackground: false,
    metadata,
  };
}

type Content =
  | { type: 'output_text'; text: string; annotations: never[]; logprobs: never[] }
  | { type: 'refusal'; refusal: string };

interface MessageItem {
  id: string;
  type: 'message';
  role: 'assistant';
  status: 'in_progress' | 'completed' | 'incomplete';
  phase: 'commentary' | 'final_answer' | null;
  content: Content[];
}

type Output = readonly MessageItem[];

interface State {
  status: 'queued' | 'in_progress' | 'completed' | 'failed' | 'cancelled' | 'incomplete';
  incomplete_details: { reason: string } | null;
  error: { code: string; message: string } | null;
}

const underWay: State = { status: 'in_progress', incomplete_details: null, error: null };

/** A run as a response, with what it has said so far. */
export function responseOf(head: ResponseHead, view: RunView) {
  const said = view.steps.filter(({ text, refusal, error }) => !error && (text !== '' || refusal !== ''));
  const isEnded = view.outcome !== null;
  const output = said.map(({ text, refusal }, i): MessageItem => {
    const isLast = isEnded && i === said.length - 1;
    return {
      ...itemOf(head.id, i + 1),
      status: 'completed',
      phase: isLast ? 'final_answer' : 'commentary',
      content: [
        ...(text === '' ? [] : [words('text', text)]),
        ...(refusal === '' ? [] : [words('refusal', refusal)]),
      ],
    };
  });
  return respond(head, stateOf(view), output, isEnded ? view : null);
}

/** A response that has just begun. */
export function begunResponse(head: ResponseHead, status: 'queued' | 'in_progress') {
  return respond(head, { ...underWay, status }, [], null);
}

function respond(head: ResponseHead, state: State, output: Output, ended: RunView | null) {
  return {
    id: head.id,
    object: 'response' as const,
    created_at: head.createdAt,
    completed_at: state.status === 'completed' ? Math.floor((ended?.endedAt ?? 0) / 1000) : null,
    ...state,
    background: head.isBackground,
    conversation: { id: head.sessionId },
    instructions: null,
    max_output_tokens: null,
    metadata: head.metadata,
    model: head.model,
    output,
    parallel_tool_calls: true,
    previous_response_id: head.previous,
    reasoning: null,
    store: true,
    temperature: null,
    text: { format: head.format },
    tool_choice: 'auto' as const,
    tools: [],
    top_p: null,
    truncation: 'disabled' as const,
    usage: ended && usageOf(ended),
  };
}

function stateOf(view: RunView): State {
  const { status, outcome } = view;
  if (outcome === null) return status === 'queued' ? { ...underWay, status } : underWay;
  if (outcome === 'cancelled') return { ...underWay, status: 'cancelled' };
  if (outcome === 'truncated') return incomplete('max_output_tokens');
  if (outcome === 'content_filtered') return incomplete('content_filter');
  if (status === 'done' || outcome === 'refused') return { ...underWay, status: 'completed' };
  return { ...underWay, status: 'failed', error: { code: 'server_error', message: failed(view).message } };
}

function incomplete(reason: string): State {
  return { ...underWay, status: 'incomplete', incomplete_details: { reason } };
}

function usageOf({ usage }: RunView) {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = usage;
  return {
    input_tokens: inputTokens,
    input_tokens_details: {
      cached_tokens: cachedInputTokens,
      cache_write_tokens: usage.cacheWriteInputTokens ?? 0,
    },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}

function itemOf(runId: string, index: number): MessageItem {
  const id = `msg_${runId}_${index}`;
  return { id, type: 'message', role: 'assistant', status: 'in_progress', phase: null, content: [] };
}

function words(kind: 'text' | 'refusal', text: string): Content {
  return kind === 'text'
    ? { type: 'output_text', text, annotations: [], logprobs: [] }
    : { type: 'refusal', refusal: text };
}

/** A response as it streams: typed events with numbers, in the order of OpenAI's own. */
export class ResponseStream {
  readonly #body: SseBody;
  readonly #head: ResponseHead;
  readonly #said: SaidSoFar;
  readonly #output: MessageItem[] = [];
  #next = 0;
  #answer: string | null = null;
  #open: { kind: 'text' | 'refusal'; text: string } | null = null;

  /** @param isWhole whether the answer is sent in one piece: with a schema, what does not fit is said again. */
  constructor(body: SseBody, head: ResponseHead, { isWhole }: { isWhole: boolean }) {
    this.#body = body;
    this.#head = head;
    this.#said = new SaidSoFar((piece) => {
      if (!isWhole) this.#say(piece.answer, piece.kind, piece.text);
    });
    this.#send('response.created', { response: begunResponse(head, 'in_progress') });
    this.#send('response.in_progress', { response: begunResponse(head, 'in_progress') });
  }

  take(event: RunEvent | RunDelta): void {
    this.#said.take(event);
    // Its words are withdrawn: the next attempt has an item of its own.
    if (event.event === 'assistant.reset') this.#endItem('incomplete', 'commentary');
  }

  end(view: RunView): void {
    const { text, steps } = view;
    const refusal = steps.at(-1)?.refusal ?? '';
    if (this.#output.length === 0 && text !== '') this.#say('whole', 'text', text);
    if (this.#output.length === 0 && refusal !== '') this.#say('whole', 'refusal', refusal);
    const state = stateOf(view);
    this.#endItem(state.status === 'incomplete' ? 'incomplete' : 'completed', 'final_answer');
    this.#finish(state, view);
  }

  fail({ code, message }: OpenAiError): void {
    this.#endItem('incomplete', 'commentary');
    const error = { code: code ?? 'server_error', message };
    const isWaiting = code === 'RUN_WAITS';
    this.#finish(
      isWaiting ? { ...incomplete('waiting_for_person'), error } : { ...underWay, status: 'failed', error },
      null,
    );
  }

  #finish(state: State, view: RunView | null): void {
    const response = respond(this.#head, state, this.#output, view);
    const type = state.status === 'cancelled' ? 'failed' : state.status;
    this.#send(`response.${type}`, { response });
    this.#body.close();
  }

  #say(answer: string, kind: 'text' | 'refusal', text: string): void {
    if (answer !== this.#answer) {
      this.#endItem('completed', 'commentary');
      this.#answer = answer;
      const item = itemOf(this.#head.id, this.#output.length + 1);
      this.#output.push(item);
      this.#send('response.output_item.added', { output_index: this.#output.length - 1, item });
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
    this.#output.at(-1)?.content.push(words(kind, text));
  }

  #endItem(status: 'completed' | 'incomplete', phase: 'commentary' | 'final_answer'): void {
    const item = this.#output.at(-1);
    if (item?.status !== 'in_progress') return;
    this.#endPart();
    Object.assign(item, { status, phase });
    this.#answer = null;
    this.#send('response.output_item.done', { output_index: this.#output.length - 1, item });
  }

  #place() {
    const item = this.#output.at(-1);
    const output_index = this.#output.length - 1;
    return { item_id: item?.id ?? '', output_index, content_index: item?.content.length ?? 0 };
  }

  #send(type: string, rest: object): void {
    this.#body.send({ type, sequence_number: this.#next++, ...rest }, type);
  }
}

/** @throws DetentError `RUN_FAILED` for a run that failed, so that a client need not look at the status. */
export function refuseFailed(view: RunView): void {
  if (stateOf(view).status === 'failed' || view.outcome === 'cancelled') throw failed(view);
}

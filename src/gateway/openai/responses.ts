import type { RunView } from '../../index.ts';
import type { Usage } from '../../protocol/content.ts';
import { failed } from './follow-run.ts';
import { replyName } from './ids.ts';
import type { ClientCall, Reply } from './reply.ts';

/** The fields of the request that a response repeats. */
export interface ResponseHead {
  id: string;
  createdAt: number;
  model: string;
  sessionId: string;
  previous: string | null;
  format: object;
  isBackground: boolean;
  isParallel: boolean;
  metadata: Record<string, string>;
}

/**
 * The fields of a request that are stored with its run.
 *
 * @param n which reply of the run it is, from 1
 * @param createdAt of a later one: milliseconds since the epoch
 */
export function headOfRun(view: RunView, n: number, createdAt = view.createdAt): ResponseHead {
  const { runId, agent = 'default', sessionId, after = null, metadata = {}, clientCalls } = view;
  const { outputSchema: schema } = view;
  return {
    id: replyName(runId, n),
    createdAt: Math.floor(createdAt / 1000),
    model: agent,
    sessionId,
    previous: n === 1 ? after : replyName(runId, n - 1),
    format: schema ? { type: 'json_schema', name: 'output', schema } : { type: 'text' },
    isBackground: false,
    isParallel: clientCalls !== 'one',
    metadata,
  };
}

type Content =
  | { type: 'output_text'; text: string; annotations: never[]; logprobs: never[] }
  | { type: 'refusal'; refusal: string };

export interface MessageItem {
  id: string;
  type: 'message';
  role: 'assistant';
  status: 'in_progress' | 'completed' | 'incomplete';
  phase: 'commentary' | 'final_answer' | null;
  content: Content[];
}

interface CallItem {
  id: string;
  type: 'function_call';
  status: 'in_progress' | 'completed';
  call_id: string;
  name: string;
  arguments: string;
}

export type Item = MessageItem | CallItem;

export interface State {
  status: 'queued' | 'in_progress' | 'completed' | 'failed' | 'cancelled' | 'incomplete';
  incomplete_details: { reason: string } | null;
  error: { code: string; message: string } | null;
}

export const underWay: State = { status: 'in_progress', incomplete_details: null, error: null };
export const completed: State = { ...underWay, status: 'completed' };

/**
 * A reply of a run as a response, with its text so far.
 *
 * @param view the run, where the reply is its last one and does not end with calls for the client
 */
export function responseOf(head: ResponseHead, reply: Reply, view: RunView | null) {
  const said = reply.answers.filter(({ text, refusal }) => text !== '' || refusal !== '');
  const isEnded = view !== null && view.outcome !== null;
  const messages = said.map(({ text, refusal }, i): MessageItem => {
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
  const output = [...messages, ...reply.calls.map(callItem)];
  const state = view ? stateOf(view) : completed;
  return respond(head, state, output, isEnded || !view ? endOf(reply, view) : null);
}

/** When a reply ended, and what it cost. */
interface End {
  at: number;
  /** Null for a client that may not know it. */
  usage: Usage | null;
}

export function endOf({ usage, end }: Reply, ended: RunView | null): End {
  return { usage, at: ended?.endedAt ?? end?.at ?? 0 };
}

/** A response that has just begun. */
export function begunResponse(head: ResponseHead, status: 'queued' | 'in_progress') {
  return respond(head, { ...underWay, status }, [], null);
}

export function respond(head: ResponseHead, state: State, output: readonly Item[], end: End | null) {
  return {
    id: head.id,
    object: 'response' as const,
    created_at: head.createdAt,
    completed_at: state.status === 'completed' ? Math.floor((end?.at ?? 0) / 1000) : null,
    ...state,
    background: head.isBackground,
    conversation: { id: head.sessionId },
    instructions: null,
    max_output_tokens: null,
    metadata: head.metadata,
    model: head.model,
    output,
    parallel_tool_calls: head.isParallel,
    previous_response_id: head.previous,
    reasoning: null,
    store: true,
    temperature: null,
    text: { format: head.format },
    tool_choice: 'auto' as const,
    tools: [],
    top_p: null,
    truncation: 'disabled' as const,
    usage: end?.usage ? usageOf(end.usage) : null,
  };
}

export function stateOf(view: RunView): State {
  const { status, outcome } = view;
  if (outcome === null) return status === 'queued' ? { ...underWay, status } : underWay;
  if (outcome === 'cancelled') return { ...underWay, status: 'cancelled' };
  if (outcome === 'truncated') return incomplete('max_output_tokens');
  if (outcome === 'content_filtered') return incomplete('content_filter');
  if (status === 'done' || outcome === 'refused') return completed;
  return { ...underWay, status: 'failed', error: { code: 'server_error', message: failed(view).message } };
}

export function incomplete(reason: string): State {
  return { ...underWay, status: 'incomplete', incomplete_details: { reason } };
}

function usageOf(usage: Usage) {
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

export function itemOf(replyId: string, index: number): MessageItem {
  const id = `msg_${replyId}_${index}`;
  return { id, type: 'message', role: 'assistant', status: 'in_progress', phase: null, content: [] };
}

export function callItem({ id, name, arguments: args }: ClientCall): CallItem {
  return { id: `fc_${id}`, type: 'function_call', status: 'completed', call_id: id, name, arguments: args };
}

export function words(kind: 'text' | 'refusal', text: string): Content {
  return kind === 'text'
    ? { type: 'output_text', text, annotations: [], logprobs: [] }
    : { type: 'refusal', refusal: text };
}

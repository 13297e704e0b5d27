import type { Input } from '../../client/index.ts';
import type {
  ConfirmDecision,
  DecisionResult,
  RunHandle,
  RunRequest,
  RunSignal,
  RunView,
} from '../../index.ts';
import { DetentError } from '../../protocol/error.ts';
import { parseJson } from '../../protocol/json.ts';
import type { RunPiece } from '../../protocol/run-events.ts';
import type { Answer } from '../../protocol/views.ts';
import type { GatewayLink } from './gateway-link.ts';
import { readLog } from './port.ts';

/** How long one request waits for a run. */
const waitMs = 60_000;

/**
 * A run of a gateway, as the commands know runs.
 *
 * @param flags what a person types behind a command for the same gateway
 * @param isNew whether all of its answers are of interest, also those that were complete before it was watched
 */
export function gatewayHandle<Output = unknown>(
  link: GatewayLink,
  flags: string,
  begun: Promise<string>,
  { isNew = false } = {},
): RunHandle<Output> {
  begun.catch(() => {});
  let id = '';
  const known = begun.then((runId) => {
    id = runId;
    return runId;
  });
  known.catch(() => {});
  const whileThere = async <T>(work: (runId: string) => Promise<T>): Promise<T> => {
    const runId = await known;
    return work(runId).catch((error) => {
      throw withWayBack(error, runId, flags);
    });
  };
  return {
    get runId() {
      return id;
    },
    started: begun,
    get events() {
      return eventsOf(known, (runId) => gatewaySignals(link, runId, { isNew }));
    },
    get result() {
      return whileThere(async (runId) => (await settledView(link, runId)) as RunView<Output>);
    },
    cancel: (reason) =>
      whileThere(async (runId) => (await link.request('agent.cancel', { runId, reason })).cancelled),
    steer: (message, extra) =>
      whileThere(async (runId) => {
        const files = await sentAttachments(link, extra);
        await link.request('agent.steer', { runId, message, ...files });
      }),
    confirm: (call, decision) => whileThere((runId) => confirmOverGateway(link, runId, call, decision)),
  };
}

async function* eventsOf(
  known: Promise<string>,
  signals: (runId: string) => AsyncIterable<RunSignal>,
): AsyncGenerator<RunSignal> {
  yield* signals(await known);
}

/** The run goes on without this command, and a person has to know how to see it again. */
function withWayBack(error: unknown, runId: string, flags: string): unknown {
  if (!DetentError.is(error) || error.code !== 'SERVER_GONE') return error;
  return new DetentError(
    error.code,
    `${error.message}; run ${runId} is not lost: it continues there, or with the next start. Follow it with: detent runs follow ${runId} ${flags}`,
    { retryable: true, details: { runId } },
  );
}

async function settledView(link: GatewayLink, runId: string): Promise<RunView> {
  for (;;) {
    const { isSettled, ...view } = await link.request('agent.wait', { runId, timeoutMs: waitMs });
    if (isSettled) return viewOf(view);
  }
}

/** The view of a run as a database gives it. */
export function viewOf({ allowed: _, ...view }: RunView & { allowed: unknown }): RunView {
  return view;
}

/**
 * The signals of a run as its log has them: the gateway says that a transition has happened, and its log has the rest. What tools say
 * while they work is not sent.
 */
export async function* gatewaySignals(
  link: GatewayLink,
  runId: string,
  { isNew = false } = {},
): AsyncGenerator<RunSignal> {
  let seq = 0;
  /** The answers of which pieces came: the client has completed them before their messages. */
  const streamed = new Set<number>();
  for await (const event of link.watch(runId)) {
    if (event.event === 'assistant.reset') streamed.delete(event.payload.effectId);
    else if (event.event === 'assistant.delta') streamed.add(event.payload.effectId);
    else if (isNew && event.event === 'assistant.message') {
      const { effectId, content: text } = event.payload;
      if (text && !streamed.has(effectId))
        yield { runId, type: 'delta', effectId, delta: { type: 'text', text } };
    }
    if (event.event === 'tool.client_claimed') yield { runId, type: 'claimed', ...event.payload };
    else if (!('seq' in event)) yield pieceOf(event);
    else if (event.last && event.seq > seq) {
      for await (const transition of readLog(link.request, runId, seq)) {
        seq = transition.seq;
        yield { ...transition };
      }
    }
  }
}

function pieceOf(event: RunPiece): RunSignal {
  const { runId, payload } = event;
  const { effectId, attempt } = payload;
  if (event.event === 'assistant.reset') return { runId, type: 'delta.reset', effectId, attempt };
  const type = event.event === 'assistant.reasoning' ? 'reasoning' : event.payload.contentType;
  return { runId, type: 'delta', effectId, attempt, delta: { type, text: event.payload.content } };
}

/** Stores the files of a message, which a frame has no room for. */
export async function sentAttachments(
  link: GatewayLink,
  extra: Pick<RunRequest, 'attachments'> | undefined,
): Promise<Pick<Input<'agent.run'>, 'attachments'>> {
  const attachments: { id: string }[] = [];
  for (const attachment of extra?.attachments ?? []) {
    if (!('data' in attachment))
      throw new DetentError('ATTACHMENT_UNSUPPORTED', 'over a gateway you can attach only files');
    const { data, name, mimeType } = attachment;
    const file = { ...(name !== undefined && { name }), ...(mimeType !== undefined && { mimeType }) };
    attachments.push({ id: await link.upload({ data: Buffer.from(data as Uint8Array), ...file }) });
  }
  return attachments.length > 0 ? { attachments } : {};
}

async function confirmOverGateway(
  link: GatewayLink,
  runId: string,
  callId: string,
  decision: ConfirmDecision,
): Promise<DecisionResult> {
  const { verdict, hash } = decision;
  const seen = { runId, callId, ...(hash !== undefined && { hash }) };
  if (verdict === 'answer')
    return link.request('question.answer', { ...seen, answer: decision.answer as Answer });
  if (verdict === 'result') {
    const { result, isError } = decision;
    return link.request('client.result', { ...seen, result, isError });
  }
  const {
    reason,
    grant,
    arguments: given,
  } = decision as {
    reason?: string;
    grant?: object;
    arguments?: unknown;
  };
  const input = {
    ...seen,
    verdict,
    ...(reason !== undefined && { reason }),
    ...(grant !== undefined && { grant }),
    ...(verdict === 'modify' && { arguments: argumentsOf(given) }),
  } as Input<'tool.confirm'>;
  return link.request('tool.confirm', input);
}

function argumentsOf(given: unknown): Record<string, unknown> {
  const value = typeof given === 'string' ? parseJson(given) : given;
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new DetentError('INVALID_ARGUMENTS', 'the new arguments are a JSON object, in quotes');
}

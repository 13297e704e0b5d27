import * as z from 'zod/mini';
import type { CallView, RunView } from '../../index.ts';
import { DetentError } from '../../protocol/error.ts';
import { runId as runIdField } from '../../protocol/methods.ts';
import { nullIfNone } from '../access/owners.ts';
import { byOf, type Call, type Method, method, rightsOf } from '../methods/method.ts';
import { dispatch, findMethod } from '../socket/dispatch.ts';
import type { ChatRequest } from './chat-request.ts';
import { type GivenResults, invalidRequest } from './conversation.ts';
import { callName, readReplyName, replyName } from './ids.ts';
import { type Reply, repliesOf } from './reply.ts';
import type { ResponsesRequest } from './responses-request.ts';

/** What a request of either protocol asks of a run. */
type Asked = Pick<ChatRequest, 'model' | 'said' | 'results' | 'clientTools' | 'sessionId' | 'output'> &
  Partial<Pick<ResponsesRequest, 'previous' | 'metadata'>>;

/** The run that answers a request, and which of its replies is the answer. */
export interface Begun {
  runId: string;
  /** From 1. */
  n: number;
  /** The reply begins behind this transition. */
  afterSeq: number;
}

/** A run whose owner is checked like that of any method. */
const runMethod: Method = method({
  name: 'chat.completions',
  scope: 'write',
  talk: true,
  summary: 'The run that goes on with results of its client.',
  input: z.strictObject({ runId: runIdField }),
  output: z.unknown(),
  perform: async ({ detent, caller }, { runId }) => detent.runs.show(runId, caller.tenantId),
});

/**
 * Begins what a request asks: a new run, or the next reply of the run whose calls the client has performed. A request that
 * has results, but other words behind them, another agent or other tools, is a conversation of its own: then a new run
 * has all of it in its prompt, and the one that waits is cancelled.
 *
 * @param key of the request, for a new run
 * @throws DetentError `INVALID_REQUEST`, `NOT_FOUND`, `RESULT_NOT_TAKEN`, `DRAINING`, and as `agent.run` does.
 */
export async function begin(call: Call, asked: Asked, key: string | undefined): Promise<Begun> {
  const { results, previous } = asked;
  const first = previous === undefined ? undefined : readReplyName(previous).runId;
  if (!results) {
    if (previous !== undefined) await refuseUnanswered(call, previous);
    return { runId: await start(call, { ...asked, previous: first }, key), n: 1, afterSeq: 0 };
  }
  const { runId, isLast } = results;
  const view = isLast ? await runOf(call, runId) : await runOf(call, runId).catch(nullIfNone);
  const replies = view ? repliesOf(await call.detent.runs.timeline(runId, 0, call.caller.tenantId)) : [];
  const i = replies.findIndex(({ calls }) => calls.some(({ callId }) => callId === results.newest));
  const asking = replies[i];
  if (isLast && !asking?.end)
    throw invalidRequest(
      `run ${runId} has no call ${callName({ runId, callId: results.newest })} of a tool of yours`,
    );
  if (isLast && previous !== undefined && previous !== replyName(runId, i + 1))
    throw invalidRequest(
      `the results are for calls of response ${replyName(runId, i + 1)}, and not of ${previous}`,
      'previous_response_id',
    );
  if (isLast && view && asking?.end && isSame(view, asked)) {
    await settle(call, { view, asking, results });
    return { runId, n: i + 2, afterSeq: asking.end.seq };
  }
  const started = await start(call, { ...asked, previous: first }, key);
  const isWaiting = view?.pending.some(({ callId }) => asking?.calls.some((one) => one.callId === callId));
  if (isWaiting && started !== runId)
    await call.detent.runs.cancel(
      runId,
      'its client continued with another request',
      call.caller.tenantId,
      byOf(call),
    );
  return { runId: started, n: 1, afterSeq: 0 };
}

async function runOf(call: Call, runId: string): Promise<RunView> {
  return (await dispatch(runMethod, call, { runId })) as RunView;
}

/** A response that asked for calls is followed by their results, or not at all. @throws DetentError `NOT_FOUND`. */
async function refuseUnanswered(call: Call, previous: string): Promise<void> {
  const { runId, n } = readReplyName(previous);
  const { clientTools } = await runOf(call, runId);
  if (!clientTools && n === 1) return;
  const reply = repliesOf(await call.detent.runs.timeline(runId, 0, call.caller.tenantId))[n - 1];
  if (!reply) throw new DetentError('NOT_FOUND', `run ${runId} has no response ${n}`);
  const [open] = reply.end ? reply.calls : [];
  if (open)
    throw invalidRequest(`call ${open.id} (${open.name}) has no result: send one in "input"`, 'input');
}

function isSame({ agent = 'default', clientTools = [] }: RunView, asked: Asked): boolean {
  const names = asked.clientTools.tools.map(({ name }) => name).sort();
  return agent === asked.model && JSON.stringify(names) === JSON.stringify([...clientTools].sort());
}

/**
 * Gives a run the results of all calls of one reply. Given again, they change nothing.
 *
 * @throws DetentError `INVALID_REQUEST`, `RESULT_NOT_TAKEN`.
 */
async function settle(
  call: Call,
  { view, asking, results }: { view: RunView; asking: Reply; results: GivenResults },
): Promise<void> {
  const { detent, caller } = call;
  const { runId, texts, hasFiles } = results;
  if (hasFiles) throw invalidRequest('the result of a call is text: images and files cannot come with it');
  const missing = asking.calls.find(({ callId }) => !texts.has(callId));
  if (missing)
    throw invalidRequest(`call ${missing.id} (${missing.name}) has no result: send those of all calls`);
  const stored = new Map(view.steps.flatMap(({ toolCalls }) => toolCalls.map((one) => [one.callId, one])));
  for (const { callId, id } of asking.calls) refuseClosed(runId, id, stored.get(callId));
  call.refuseNewRuns();
  const place = call.runs.take();
  try {
    for (const { callId, id } of asking.calls) {
      const decision = {
        verdict: 'result',
        result: texts.get(callId) ?? '',
        ...byOf(call),
        ...rightsOf(call),
      } as const;
      const { stands, verdict } = await detent.runs.confirm(runId, callId, decision, caller.tenantId);
      if (!stands) throw notTaken(runId, id, verdict);
    }
    const { status } = await detent.runs.show(runId, caller.tenantId);
    if (status === 'decided') await detent.runs.resume({ runId }, caller.tenantId);
    place.keep(runId, detent.runs.attach(runId, caller.tenantId).result);
  } catch (error) {
    place.release();
    throw error;
  }
}

/** Before any result is given: a person may have closed the call, or its time was up. */
function refuseClosed(runId: string, id: string, stored: CallView | undefined): void {
  const { decision = null } = stored ?? {};
  if (decision !== null && decision !== 'result') throw notTaken(runId, id, decision);
}

function notTaken(runId: string, id: string, verdict: string): DetentError {
  const why =
    verdict === 'result' ? 'another result of it came first' : `it was closed without a result (${verdict})`;
  return new DetentError(
    'RESULT_NOT_TAKEN',
    `the result of call ${id} was not taken: ${why}. GET /api/v1/runs/${runId} says how the run continues`,
    { details: { runId, callId: id, verdict } },
  );
}

/** Starts the run that answers a request, as the method `agent.run` does. */
async function start(call: Call, asked: Asked, key: string | undefined): Promise<string> {
  const { model, said, sessionId, output, previous, metadata, clientTools } = asked;
  const { tools, isOneAtATime } = clientTools;
  const { runId } = (await dispatch(findMethod('agent.run'), call, {
    ...said(),
    agent: model,
    ...(sessionId !== undefined && { sessionId }),
    ...(output !== undefined && { output }),
    ...(previous !== undefined && { after: previous }),
    ...(metadata !== undefined && { metadata }),
    ...(tools.length > 0 && { clientTools: tools }),
    ...(tools.length > 0 && isOneAtATime && { clientCalls: 'one' }),
    ...(key !== undefined && { idempotencyKey: key }),
  })) as { runId: string };
  return runId;
}

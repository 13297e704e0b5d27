import type { Context, Hono } from 'hono';
import * as z from 'zod/mini';
import type { RunDelta, RunEvent, RunView } from '../../index.ts';
import { onlyTalks } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { runId } from '../../protocol/methods.ts';
import { type LetIn, mayStay } from '../access/gate.ts';
import { Answers } from '../http/answers.ts';
import { streamHeaders } from '../http/event-stream.ts';
import type { HttpParts, Peer } from '../http/http-parts.ts';
import { readInputOf, received } from '../http/read-input.ts';
import { SseBody } from '../http/sse-body.ts';
import { type Call, type Method, method } from '../methods/method.ts';
import { dispatch, refuseWithout } from '../socket/dispatch.ts';
import { failureOf } from '../socket/failure.ts';
import { type Begun, begin } from './begin.ts';
import { ChatStream, completionOf, headOf } from './chat.ts';
import { type ChatRequest, chatMethod } from './chat-request.ts';
import { type OpenAiError, openAiErrorOf } from './error.ts';
import { failed, followRun, notEnded, viewFor } from './follow-run.ts';
import { readReplyName, replyName } from './ids.ts';
import { Reply, repliesOf } from './reply.ts';
import { ResponseStream } from './response-stream.ts';
import { begunResponse, headOfRun, type ResponseHead, responseOf, stateOf } from './responses.ts';
import { type ResponsesRequest, responsesMethod } from './responses-request.ts';

type App = Hono<{ Bindings: Peer }>;
type At = Context<{ Bindings: Peer }>;

/** What an answer is written to as it streams. */
interface Writer {
  reply: Reply;
  take(event: RunEvent | RunDelta): void;
  /**
   * @param ended the run; null when the client must perform calls
   * @throws DetentError `RUN_FAILED`.
   */
  end(ended: RunView | null): Promise<void>;
  fail(error: OpenAiError): void;
}

const modelsMethod: Method = method({
  name: 'models.list',
  scope: 'read',
  talk: true,
  summary: 'The agents, as models of OpenAI’s protocol.',
  input: z.strictObject({}),
  output: z.unknown(),
  http: { verb: 'get', path: '/models', root: '/v1' },
  perform: async (call) => modelsOf(call),
});

const modelMethod: Method = method({
  name: 'models.retrieve',
  scope: 'read',
  talk: true,
  summary: 'An agent, as a model of OpenAI’s protocol.',
  input: z.strictObject({ model: z.string().check(z.maxLength(200)) }),
  output: z.unknown(),
  http: { verb: 'get', path: '/models/{model}', root: '/v1' },
  perform: async (call, { model }) => modelsOf(call).find(({ id }) => id === model) ?? unknownModel(model),
});

/** A run as it stands, whose owner is checked like that of any method. */
const readMethod: Method = method({
  name: 'responses.retrieve',
  scope: 'read',
  talk: true,
  summary: 'A response, as it stands.',
  input: z.strictObject({ runId }),
  output: z.unknown(),
  http: { verb: 'get', path: '/responses/{runId}', root: '/v1' },
  perform: async ({ detent, caller }, { runId }) =>
    viewFor(caller, await detent.runs.show(runId, caller.tenantId)),
});

/** The interface of OpenAI, for its description. */
export const openAiMethods: readonly Method[] = [
  modelsMethod,
  modelMethod,
  chatMethod,
  responsesMethod,
  readMethod,
];

/**
 * The interface that clients of OpenAI speak: agents are its models.
 *
 * @internal
 */
export function addOpenAiRoutes(
  app: App,
  parts: HttpParts,
  letIn: (request: Request, peer: Peer) => Promise<LetIn>,
): void {
  const { limits } = parts;

  /** Checks the client and its input. */
  const enter = async <Input>(context: At, asked: Method, params: Record<string, string> = {}) => {
    const request = context.req.raw;
    const known = await letIn(request, context.env ?? {});
    // Refuse before reading the body, which may be large.
    refuseWithout(known.caller, asked);
    const answers = new Answers(parts, known, context.env ?? {});
    return received(parts, known, limits.maxUploadBytes, async (bounds) => {
      const { who, input: given } = await readInputOf(known, asked, request, params, bounds);
      const call = parts.call(who, request.signal);
      return { call, who, answers, input: (await dispatch(asked, call, given)) as Input };
    });
  };

  app.get('/v1/models', async (context) => {
    const { answers, input } = await enter(context, modelsMethod);
    return answers.json({ object: 'list', data: input });
  });
  app.get('/v1/models/:model', async (context) => {
    const { answers, input } = await enter(context, modelMethod, { model: context.req.param('model') });
    return answers.json(input);
  });

  app.post('/v1/chat/completions', async (context) => {
    const { call, who, answers, input } = await enter<ChatRequest>(context, chatMethod);
    const { model, isStream, withUsage, output } = input;
    return seated(parts, isStream ? who : null, async (seat) => {
      const begun = await begin(call, input, context.req.header('idempotency-key'));
      const head = headOf(replyName(begun.runId, begun.n), model);
      if (!seat) {
        const { reply, ended } = await endOf(parts, call, begun);
        return answers.json(completionOf(head, reply, ended));
      }
      const options = { withUsage, isWhole: output !== undefined, isCounted: !onlyTalks(who.caller) };
      return stream({ parts, call, seat, begun }, (body) => new ChatStream(body, head, options));
    });
  });

  app.post('/v1/responses', async (context) => {
    const { call, who, answers, input } = await enter<ResponsesRequest>(context, responsesMethod);
    const { output, isStream, isBackground } = input;
    return seated(parts, isStream && !isBackground ? who : null, async (seat) => {
      const begun = await begin(call, input, context.req.header('idempotency-key'));
      const { runId, n } = begun;
      const view = await call.detent.runs.show(runId, call.caller.tenantId);
      const head: ResponseHead = { ...headOfRun(view, n, n === 1 ? undefined : Date.now()), isBackground };
      if (isBackground) return answers.json(begunResponse(head, 'queued'));
      if (seat)
        return stream(
          { parts, call, seat, begun },
          (body) =>
            new ResponseStream(body, head, {
              isWhole: output !== undefined,
              isCounted: !onlyTalks(who.caller),
            }),
        );
      const { reply, ended } = await endOf(parts, call, begun);
      if (ended) refuseFailed(ended);
      return answers.json(responseOf(head, reply, ended));
    });
  });
  app.get('/v1/responses/:id', async (context) => {
    const { runId, n } = readReplyName(context.req.param('id'));
    const { call, answers, input: view } = await enter<RunView>(context, readMethod, { runId });
    const events = await call.detent.runs.timeline(runId, 0, call.caller.tenantId);
    const replies = repliesOf(events, !onlyTalks(call.caller));
    const reply = replies[n - 1];
    const before = replies[n - 2]?.end?.at;
    if (!reply) throw new DetentError('NOT_FOUND', `run ${runId} has no response ${n}`);
    return answers.json(responseOf(headOfRun(view, n, before), reply, reply.end ? null : view));
  });
}

/** A reply once it is over. @throws DetentError `RUN_WAITS`, `DRAINING`. */
async function endOf(
  { feeds, limits, prefix }: HttpParts,
  call: Call,
  { runId, afterSeq }: Begun,
): Promise<{ reply: Reply; ended: RunView | null }> {
  const { detent, caller } = call;
  const { tenantId } = caller;
  const { personMs } = limits;
  const reply = new Reply(!onlyTalks(caller));
  const followed = await call.waiting((signal) =>
    followRun({
      detent,
      feeds,
      caller,
      runId,
      afterSeq,
      personMs,
      signal,
      onEvent: (event) => reply.take(event),
      isOver: () => reply.end !== null,
    }),
  );
  if (followed.kind === 'ended') return { reply, ended: followed.view };
  if (followed.kind === 'over') return { reply, ended: null };
  if (followed.kind === 'waits') throw await notEnded({ detent, tenantId, prefix }, followed.view);
  throw new DetentError('DRAINING', `the gateway is stopping; run ${runId} continues`, {
    details: { runId },
  });
}

/** A place among the streams of a user. */
interface Seat {
  stop(): void;
  leave(): void;
}

/**
 * Takes the place of a stream before its run begins: OpenAI's clients repeat refused requests, and each repetition
 * would begin another run.
 *
 * @param who null for an answer that is no stream
 */
async function seated(
  parts: HttpParts,
  who: LetIn | null,
  answer: (seat: Seat | null) => Promise<Response>,
): Promise<Response> {
  if (who === null) return answer(null);
  const seat: Seat = { stop: () => {}, leave: () => {} };
  const checkToken = async () => {
    if (!(await mayStay(who, parts.report))) seat.stop();
  };
  seat.leave = parts.open({ stop: () => seat.stop(), checkToken }, who);
  try {
    return await answer(seat);
  } catch (error) {
    seat.leave();
    throw error;
  }
}

/** Streams an answer. The run does not end with the stream. */
function stream(
  { parts, call, seat, begun }: { parts: HttpParts; call: Call; seat: Seat; begun: Begun },
  writerTo: (body: SseBody) => Writer,
): Response {
  const { feeds, limits, prefix, report } = parts;
  const { detent, caller } = call;
  const left = new AbortController();
  seat.stop = () => body.close();
  const body = new SseBody(limits, () => {
    left.abort();
    seat.leave();
  });
  const writer = writerTo(body);
  const fail = (error: unknown) => writer.fail(openAiErrorOf(failureOf(error, report, caller)));
  followRun({
    detent,
    feeds,
    caller,
    runId: begun.runId,
    afterSeq: begun.afterSeq,
    personMs: limits.personMs,
    signal: left.signal,
    onEvent: (event) => writer.take(event),
    isOver: () => writer.reply.end !== null,
    ready: async () => body.ready(),
  })
    .then(async (followed) => {
      if (followed.kind === 'ended') return writer.end(followed.view);
      if (followed.kind === 'over') return writer.end(null);
      if (followed.kind === 'waits')
        fail(await notEnded({ detent, tenantId: caller.tenantId, prefix }, followed.view));
    })
    .catch(fail);
  return new Response(body.body, { headers: streamHeaders });
}

function modelsOf({ detent, caller: { agents } }: Call) {
  return detent.agents
    .list()
    .filter(({ name }) => agents?.includes(name) ?? true)
    .map(({ name }) => ({ id: name, object: 'model' as const, created: 0, owned_by: 'detent' }));
}

function unknownModel(model: string): never {
  throw new DetentError('UNKNOWN_AGENT', `there is no agent ${JSON.stringify(model)}; see /v1/models`);
}

/** @throws DetentError `RUN_FAILED` for a run that failed, so that a client need not look at the status. */
function refuseFailed(view: RunView): void {
  if (stateOf(view).status === 'failed' || view.outcome === 'cancelled') throw failed(view);
}

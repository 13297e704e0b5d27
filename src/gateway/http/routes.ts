import { Hono } from 'hono';
import * as z from 'zod/mini';
import type { Caller } from '../../protocol/access.ts';
import { unfinishedStatuses } from '../../protocol/enums.ts';
import { DetentError } from '../../protocol/error.ts';
import { about, cursor, feedEvent, runId, seq, streamedEvent, word } from '../../protocol/methods.ts';
import { once } from '../../text/limiter.ts';
import { isSame, type LetIn, mayStay, networkOf } from '../access/gate.ts';
import { CompactSink } from '../documents/compact.ts';
import { refuseBeyond } from '../feeds/beyond.ts';
import { ofCaller } from '../feeds/sight.ts';
import type { GatewayLimits } from '../gateway-options.ts';
import { type Call, type Method, method } from '../methods/method.ts';
import { methods } from '../methods/methods.ts';
import { openAiError } from '../openai/error.ts';
import { addOpenAiRoutes, openAiMethods } from '../openai/routes.ts';
import { Page } from '../page/page.ts';
import { dispatch, refuseWithout } from '../socket/dispatch.ts';
import { type Failure, failureOf } from '../socket/failure.ts';
import { Answers, jsonHeaders } from './answers.ts';
import { eventStream, streamHeaders, type TextSink } from './event-stream.ts';
import type { HttpParts, Peer } from './http-parts.ts';
import { problem } from './problem.ts';
import { readInput, readInputOf, received } from './read-input.ts';

/** Server-sent events have a route of their own, and their input is checked like that of any method. */
const eventsMethod: Method = method({
  name: 'run.stream',
  scope: 'read',
  talk: true,
  summary: 'The events of the run as server-sent events, from the log and then live.',
  input: z.strictObject({
    runId,
    after: about(
      z._default(seq, 0),
      'The last `seq` of which the client has all events; also as `Last-Event-ID`.',
    ),
    events: about(
      z._default(z.enum(['all', 'compact']), 'all'),
      '`compact` joins pieces of answers that come within 100 ms.',
    ),
  }),
  output: streamedEvent,
  http: { verb: 'get', path: '/runs/{runId}/events', streams: 'always' },
  async perform({ detent, caller }, input) {
    await detent.runs.ownerOf(input.runId, caller.tenantId);
    return input as never;
  },
});

/** The same of all runs that the caller sees. */
const feedMethod: Method = method({
  name: 'feed.stream',
  scope: 'read',
  summary:
    'What happens to all runs that the caller sees, as server-sent events `run.moved`: each transition once, in the order of the commits.',
  input: z.strictObject({
    after: about(
      z.optional(cursor),
      'The last `cursor` that the client has; also as `Last-Event-ID`. Default: from now on.',
    ),
  }),
  output: feedEvent,
  http: { verb: 'get', path: '/events', streams: 'always' },
  perform: async (_call, input) => input as never,
});

const loginInput = z.strictObject({ code: word() });

/** All methods that have a place over HTTP. */
export const httpMethods: readonly Method[] = [
  ...methods.filter(({ http }) => http),
  eventsMethod,
  feedMethod,
];

/** All that the description of the HTTP interface has. */
export const describedMethods: readonly Method[] = [...httpMethods, ...openAiMethods];

const healthPaths: readonly string[] = ['/healthz', '/readyz'];

/**
 * Everything under the prefix: `/api/v1`, `/v1`, health and readiness.
 *
 * @internal
 */
export function routes(parts: HttpParts): Hono<{ Bindings: Peer }> {
  const { prefix, gate, report } = parts;
  const page = parts.page instanceof Page ? parts.page : null;
  const app = new Hono<{ Bindings: Peer }>({ strict: false }).basePath(prefix === '' ? '/' : prefix);

  app.use(async (context, next) => {
    const { headers } = context.req.raw;
    const origin = headers.get('origin');
    if (parts.isHealthAlone)
      // Probes come by an address, and there is nothing that a page of another name must not read.
      return healthPaths.includes(context.req.path) ? next() : context.notFound();
    gate.checkHost(headers.get('host') ?? new URL(context.req.url).host);
    // Pages elsewhere may not read it, also those that may use the gateway.
    const file = page?.answer(context.req.raw);
    if (file) return file;
    if (context.req.method !== 'GET' && context.req.method !== 'HEAD')
      gate.checkOrigin(origin, headers.get('host'));
    if (origin !== null && gate.isListed(origin)) {
      if (context.req.method === 'OPTIONS') return preflight(origin);
      await next();
      context.header('access-control-allow-origin', origin);
      context.header('vary', 'origin', { append: true });
    } else await next();
    context.header('x-content-type-options', 'nosniff');
    context.header('referrer-policy', 'no-referrer');
    return;
  });

  // For programs, and for a person where no page is served. It tells nothing about this gateway's data.
  app.get('/', (context) => context.text(aboutText(parts), 200, { vary: 'accept' }));
  app.get('/healthz', (context) => context.json({ ok: true }));
  app.get('/readyz', async (context) => {
    await parts.checkReady();
    return context.json({ ok: true });
  });
  const documents = {
    '/api/v1/openapi.json': async () => (await import('./open-api.ts')).openApi(describedMethods, prefix),
    '/api/v1/asyncapi.json': async () =>
      (await import('../documents/async-api.ts')).asyncApi(methods, prefix),
  };
  for (const [path, make] of Object.entries(documents)) {
    // To make it takes long, and needs no token.
    const made = once(async () => JSON.stringify(await make()));
    app.get(
      path,
      async () => new Response(await made(), { headers: { 'content-type': 'application/json' } }),
    );
  }

  app.post('/api/v1/login', async (context) => {
    const { address = '' } = context.env ?? {};
    const holder = `login ${networkOf(address)}`;
    const asked = await received(parts, { holder }, 10_000, async (bounds) =>
      loginInput.safeParse(await readInput(loginMethod, context.req.raw, {}, bounds)),
    );
    if (!asked.success) throw new DetentError('INVALID_REQUEST', 'send {"code": "…"} of the login link');
    return shortJson(await gate.countingFailures(address, () => parts.logins.exchange(asked.data.code)));
  });

  // For "detent inspect", which finds the key in the person's own settings. No document describes it.
  app.post('/api/v1/login-codes', async (context) => {
    const { address = '' } = context.env ?? {};
    if (parts.loginKey !== null && isSame(parts.loginKey, bearerOf(context.req.raw)))
      return shortJson({ code: parts.logins.newCode() });
    await gate.countFailure(address);
    throw new DetentError(
      'UNAUTHORIZED',
      'this key cannot make login links: make one with "detent token login"',
    );
  });

  const callers = new WeakMap<Request, Caller>();
  const letIn = async (request: Request, { address = '' }: Peer) => {
    const token = bearerOf(request);
    const who = await gate.letIn(token, request, address);
    callers.set(request, who.caller);
    gate.count(who.holder);
    return who;
  };

  for (const method of httpMethods) {
    if (!method.http) continue;
    const { verb, path, status = 200 } = method.http;
    const isStream = method === eventsMethod || method === feedMethod;
    app.on(verb.toUpperCase(), `/api/v1${path.replaceAll(/\{(\w+)\}/g, ':$1')}`, async (context) => {
      const request = context.req.raw;
      const known = await letIn(request, context.env ?? {});
      // Refuse before reading the body, which may be large.
      refuseWithout(known.caller, method);
      const answers = new Answers(parts, known, context.env ?? {});
      const maxBytes = maxBytesOf(method, parts.limits);
      const { who, call, input, performed } = await received(parts, known, maxBytes, async (bounds) => {
        const { who, input } = await readInputOf(known, method, request, context.req.param(), bounds);
        const call = parts.call(who, request.signal);
        const performed = isStream ? null : await dispatch(method, call, input);
        return { who, call, input, performed };
      });
      if (method.http?.isFile) return file(answers, performed as FileAnswer);
      if (!isStream) return answers.json(performed, status);
      const last = request.headers.get('last-event-id') ?? '';
      if (last !== '') input.after = placeOf(last);
      const asked = (await dispatch(method, call, input)) as RunStream | FeedStream;
      if ('runId' in asked) await refuseBeyond(call, asked.runId, asked.after, 'after');
      // A body that is never read would never end.
      if (request.method === 'HEAD') return new Response(null, { headers: streamHeaders });
      // An `EventSource` would ask for ever for what comes after the end.
      if (last !== '' && 'runId' in asked && (await isOver(call, asked)))
        return new Response(null, { status: 204 });
      const watch: Watch = (sink) =>
        'runId' in asked
          ? parts.feeds.watch(who.caller, asked.runId, asked.after, sinkOf(asked, sink))
          : parts.tenantFeeds.follow(ofCaller(who.caller), asked.after, sink);
      return stream(parts, who, watch);
    });
  }

  addOpenAiRoutes(app, parts, letIn);

  /** Each interface has its own form of errors. */
  const failure = (path: string, failed: Failure) =>
    path.startsWith(`${prefix}/v1/`) ? openAiError(failed) : problem(failed);

  app.notFound((context) => {
    const message = parts.isHealthAlone
      ? `this is a worker, which answers at ${healthPaths.join(' and ')} alone: send clients to a gateway ("detent serve --role gateway")`
      : `there is nothing at ${context.req.method} ${context.req.path}; see ${prefix}/api/v1/openapi.json`;
    return failure(context.req.path, {
      status: 404,
      error: { code: 'NOT_FOUND', message, retryable: false },
    });
  });
  app.onError((error, context) =>
    failure(context.req.path, failureOf(error, report, callers.get(context.req.raw) ?? null)),
  );
  return app;
}

function aboutText({ prefix, page, gate }: HttpParts): string {
  return [
    'This is a gateway of Detent: LLM agents as durable statecharts.',
    '',
    `HTTP        ${prefix}/api/v1, described in ${prefix}/api/v1/openapi.json`,
    `WebSocket   ${prefix}/ws, whose first frame is "connect" with a token, described in ${prefix}/api/v1/asyncapi.json`,
    ...(page instanceof Page ? [`Page        ${prefix}/ in a browser`] : []),
    `Health      ${prefix}/healthz, ${prefix}/readyz`,
    '',
    ...(gate.asksHost
      ? ['All data needs a token of the application that this gateway belongs to.']
      : [
          'All data needs a token: "detent token create --scope read,write" makes one, in the folder that is served.',
          `A login link holds a code instead: POST {"code":"..."} to ${prefix}/api/v1/login exchanges it for a token, once.`,
        ]),
    ...(page === 'not built' ? ['', 'The web page is not built: "npm start" in the clone builds it.'] : []),
    '',
  ].join('\n');
}

const loginMethod: Method = method({
  name: 'login',
  scope: 'read',
  summary: 'Exchanges the code of a login link for a token.',
  input: loginInput,
  output: z.strictObject({}),
  perform: async () => ({}),
});

/** The token of a request; empty without one. */
function bearerOf({ headers }: Request): string {
  return /^Bearer (\S+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? '';
}

/** Uploads carry files. */
function maxBytesOf({ http }: Method, { maxBodyBytes, maxUploadBytes }: GatewayLimits): number {
  return http?.takesFile ? Math.ceil((maxUploadBytes * 4) / 3) + 10_000 : maxBodyBytes;
}

function shortJson(body: unknown): Response {
  return new Response(JSON.stringify(body), { headers: jsonHeaders });
}

interface FileAnswer {
  data: string;
  mimeType: string;
  name?: string;
}

/** A file of a run may be anything that a tool has found, under any name: no page may execute it. */
function file(answers: Answers, { data, mimeType, name = 'artifact' }: FileAnswer): Response {
  const isType = /^[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w.-]+)*$/.test(mimeType);
  return answers.bytes(Buffer.from(data, 'base64'), {
    'content-type': isType ? mimeType : 'application/octet-stream',
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, hexOf)}`,
    'content-security-policy': "sandbox; default-src 'none'",
    'cache-control': 'private, max-age=3600',
  });
}

/** Characters that names in headers must not have, and that `encodeURIComponent` leaves. See RFC 8187. */
function hexOf(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
}

interface FeedStream {
  after?: number;
}

interface RunStream {
  runId: string;
  after: number;
  events: 'all' | 'compact';
}

/** Whether a run has ended and has no events behind the last one that the client has. */
async function isOver({ detent, caller }: Call, { runId, after }: RunStream): Promise<boolean> {
  for await (const _ of detent.runs.readTimeline(runId, after, caller.tenantId)) return false;
  const { status } = await detent.runs.show(runId, caller.tenantId);
  return !unfinishedStatuses.some((one) => one === status);
}

/** @throws DetentError `INVALID_REQUEST` for what no stream has sent as an `id`. */
function placeOf(lastEventId: string): number {
  if (/^\d{1,15}$/.test(lastEventId)) return Number(lastEventId);
  throw new DetentError(
    'INVALID_REQUEST',
    'the header Last-Event-ID is the id of an event that this stream has sent, a number; leave it out to get all events',
    { details: { field: 'Last-Event-ID' } },
  );
}

type Watch = (sink: TextSink) => () => void;

function sinkOf({ events }: RunStream, sink: TextSink): TextSink {
  return events === 'compact' ? new CompactSink(sink) : sink;
}

function stream({ limits, report, ...parts }: HttpParts, who: LetIn, watch: Watch): Response {
  let end = () => {};
  const open = {
    stop: () => end(),
    checkToken: async () => {
      if (!(await mayStay(who, report))) end();
    },
  };
  const closed = parts.open(open, who);
  const { body, stop } = eventStream({ limits, caller: who.caller, report, watch, closed });
  end = stop;
  return new Response(body, { headers: streamHeaders });
}

function preflight(origin: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
      'access-control-allow-headers': 'authorization, content-type, idempotency-key, last-event-id',
      'access-control-max-age': '600',
      vary: 'origin',
    },
  });
}

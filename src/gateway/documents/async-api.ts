import { type Connected, closeCodes, protocolVersion } from '../../protocol/frames.ts';
import { feedEvent } from '../../protocol/methods.ts';
import { runDeltaPayloads, runEventPayloads } from '../../protocol/run-events.ts';
import type { Method } from '../methods/method.ts';
import { schemaOf } from '../socket/dispatch.ts';
import { inputOf, type Json, lift, outputOf, sorted } from './json-schemas.ts';

const text = { type: 'string' };
const whole = { type: 'integer' };
const errorSchema = {
  type: 'object',
  required: ['code', 'message', 'retryable'],
  properties: { code: text, message: text, retryable: { type: 'boolean' }, details: { type: 'object' } },
};

const connected = {
  protocol: whole,
  version: text,
  tenantId: whole,
  userId: { type: ['string', 'null'] },
  by: text,
  scopes: { type: 'array', items: text },
  policy: {
    type: 'object',
    properties: {
      maxFrameBytes: whole,
      maxBufferedBytes: whole,
      maxSubscriptions: whole,
      heartbeatMs: whole,
    } satisfies Record<keyof Connected['policy'], Json>,
  },
} satisfies Record<keyof Connected, Json>;

const { $schema: _, ...moved } = schemaOf(feedEvent, 'output') as Json;

/** Events of the connection. */
const notices = {
  'gateway.draining': {
    summary: 'The gateway is about to stop: connect again.',
    payload: { type: 'object' },
  },
  'subscription.ended': {
    summary: 'A run can no longer be watched; without an error, it had ended before its watcher came.',
    runId: text,
    payload: { type: 'object', properties: { error: errorSchema } },
  },
  'run.moved': {
    summary:
      'Something happened to a run of the feed that the connection has asked for with `feed.subscribe`.',
    payload: moved,
  },
};

/** The frames, as AsyncAPI 3. See https://www.asyncapi.com/docs/reference/specification/v3.0.0 */
export function asyncApi(methods: readonly Method[], prefix = ''): Json {
  const schemas: Json = {};
  const messages: Json = {
    refusal: message('The answer to a request that failed.', {
      type: 'object',
      required: ['type', 'id', 'ok', 'error'],
      properties: {
        type: { const: 'response' },
        id: { type: ['string', 'null'] },
        ok: { const: false },
        error: errorSchema,
      },
    }),
    connect: requestOf('connect', 'The first frame: who the client is.', {
      type: 'object',
      required: ['token'],
      properties: { token: text, minProtocol: whole, maxProtocol: whole, client: text },
      additionalProperties: false,
    }),
  };
  messages['answer connect'] = answerMessage('connect', { type: 'object', properties: connected });
  for (const method of methods) {
    const { name, summary, scope } = method;
    const input = lift(inputOf(method), schemas);
    messages[name] = requestOf(name, `${summary} Needs the scope \`${scope}\`.`, input);
    messages[`answer ${name}`] = answerMessage(name, outputOf(method, schemas));
  }
  for (const [name, payload] of Object.entries(runEventPayloads))
    messages[`event ${name}`] = eventOf(name, lift(schemaOf(payload, 'input'), schemas) as Json, true);
  for (const [name, payload] of Object.entries(runDeltaPayloads))
    messages[`event ${name}`] = eventOf(name, lift(schemaOf(payload, 'input'), schemas) as Json, false);
  for (const [name, { summary, ...about }] of Object.entries(notices)) {
    const properties = { type: { const: 'event' }, event: { const: name }, ...about };
    messages[`event ${name}`] = message(summary, {
      type: 'object',
      required: ['type', 'event', 'payload'],
      properties,
    });
  }
  const channel = { $ref: '#/channels/frames' };
  const pointers = (...names: string[]) =>
    names.map((name) => ({ $ref: `#/channels/frames/messages/${pointed(name)}` }));
  const operations = ['connect', ...methods.map(({ name }) => name)].map((name) => {
    const reply = { channel, messages: pointers(`answer ${name}`, 'refusal') };
    return [name, { action: 'receive', channel, messages: pointers(name), reply }] as const;
  });
  const events = Object.keys(messages).filter((name) => name.startsWith('event '));
  return {
    asyncapi: '3.0.0',
    info: { title: 'Detent', version: String(protocolVersion) },
    channels: {
      frames: {
        address: `${prefix}/ws`,
        description: `A WebSocket with text frames of JSON. Close codes: ${JSON.stringify(closeCodes)}.`,
        messages: Object.fromEntries(
          Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${pointed(name)}` }]),
        ),
      },
    },
    operations: {
      ...Object.fromEntries(operations),
      tell: { action: 'send', channel, messages: pointers(...events) },
    },
    components: { messages, schemas: sorted(schemas) },
  };
}

function answerMessage(method: string, payload: unknown): Json {
  return message(`The answer to \`${method}\`.`, {
    type: 'object',
    required: ['type', 'id', 'ok', 'payload'],
    properties: { type: { const: 'response' }, id: text, ok: { const: true }, payload },
  });
}

function requestOf(method: string, summary: string, payload: unknown): Json {
  return message(summary, {
    type: 'object',
    required: ['type', 'id', 'method'],
    properties: { type: { const: 'request' }, id: text, method: { const: method }, payload },
    additionalProperties: false,
  });
}

function eventOf(event: string, { $schema: _, ...payload }: Json, isOfLog: boolean): Json {
  const placed = { seq: whole, index: whole, last: { type: 'boolean' }, at: whole };
  return message(isOfLog ? 'Of the log of a run.' : 'A piece of an answer; it is not in the log.', {
    type: 'object',
    required: ['type', 'event', 'runId', ...(isOfLog ? Object.keys(placed) : []), 'payload'],
    properties: {
      type: { const: 'event' },
      event: { const: event },
      runId: text,
      ...(isOfLog && placed),
      payload,
    },
  });
}

function message(summary: string, payload: Json): Json {
  return { summary, payload };
}

/** A name in a JSON pointer within a URI. */
function pointed(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}

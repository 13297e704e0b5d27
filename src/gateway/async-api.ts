import { closeCodes, protocolVersion } from '../protocol/frames.ts';
import { runDeltaPayloads, runEventPayloads } from '../protocol/run-events.ts';
import { schemaOf } from './dispatch.ts';
import type { Method } from './methods/method.ts';

type Json = Record<string, unknown>;

const text = { type: 'string' };
const whole = { type: 'integer' };
const errorSchema = {
  type: 'object',
  required: ['code', 'message', 'retryable'],
  properties: { code: text, message: text, retryable: { type: 'boolean' }, details: { type: 'object' } },
};

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
};

/** The frames, as AsyncAPI 3. See https://www.asyncapi.com/docs/reference/specification/v3.0.0 */
export function asyncApi(methods: readonly Method[]): Json {
  const messages: Json = {
    response: message('The answer to a request.', {
      type: 'object',
      required: ['type', 'id', 'ok'],
      properties: {
        type: { const: 'response' },
        id: { type: ['string', 'null'] },
        ok: { type: 'boolean' },
        payload: {},
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
  for (const { name, summary, scope, input } of methods) {
    const { $schema: _, ...schema } = schemaOf(input, 'input') as Json;
    messages[name] = requestOf(name, `${summary} Needs the scope \`${scope}\`.`, schema);
  }
  for (const [name, payload] of Object.entries(runEventPayloads))
    messages[`event ${name}`] = eventOf(name, schemaOf(payload, 'input') as Json, true);
  for (const [name, payload] of Object.entries(runDeltaPayloads))
    messages[`event ${name}`] = eventOf(name, schemaOf(payload, 'input') as Json, false);
  for (const [name, { summary, ...about }] of Object.entries(notices)) {
    const properties = { type: { const: 'event' }, event: { const: name }, ...about };
    messages[`event ${name}`] = message(summary, {
      type: 'object',
      required: ['type', 'event', 'payload'],
      properties,
    });
  }
  const pointers = (isSent: boolean) =>
    Object.keys(messages)
      .filter((name) => (name === 'response' || name.startsWith('event ')) === isSent)
      .map((name) => ({ $ref: `#/channels/frames/messages/${pointed(name)}` }));
  return {
    asyncapi: '3.0.0',
    info: { title: 'Detent', version: String(protocolVersion) },
    channels: {
      frames: {
        address: '/ws',
        description: `A WebSocket with text frames of JSON. Close codes: ${JSON.stringify(closeCodes)}.`,
        messages: Object.fromEntries(
          Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${pointed(name)}` }]),
        ),
      },
    },
    operations: {
      ask: { action: 'receive', channel: { $ref: '#/channels/frames' }, messages: pointers(false) },
      tell: { action: 'send', channel: { $ref: '#/channels/frames' }, messages: pointers(true) },
    },
    components: { messages },
  };
}

function requestOf(method: string, summary: string, payload: Json): Json {
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

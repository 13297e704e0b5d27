import { closeCodes, protocolVersion } from '../protocol/frames.ts';
import type { RunDeltaPayloads, RunEventPayloads } from '../protocol/run-events.ts';
import { schemaOf } from './dispatch.ts';
import type { Method } from './methods/method.ts';

type Json = Record<string, unknown>;

/** All events of the log of a run, by name. */
const ofLog: Readonly<Record<keyof RunEventPayloads, true>> = {
  'lifecycle.start': true,
  'state.changed': true,
  'step.begin': true,
  'step.interrupted': true,
  'assistant.message': true,
  'tool.call': true,
  'tool.confirm_request': true,
  'tool.confirm_resolved': true,
  'tool.client_request': true,
  'tool.client_resolved': true,
  'tool.result': true,
  'question.asked': true,
  'question.answered': true,
  'todo.updated': true,
  'artifact.created': true,
  'skill.activated': true,
  'subagent.started': true,
  'subagent.ended': true,
  'memory.flush': true,
  'compaction.begin': true,
  'compaction.end': true,
  usage: true,
  'lifecycle.end': true,
  'lifecycle.error': true,
};

/** Pieces of answers, which are in no log and have no `seq`. */
const pieces: Readonly<Record<keyof RunDeltaPayloads, true>> = {
  'assistant.delta': true,
  'assistant.reasoning': true,
  'assistant.reset': true,
};

const text = { type: 'string' };
const whole = { type: 'integer' };
const errorSchema = {
  type: 'object',
  required: ['code', 'message', 'retryable'],
  properties: { code: text, message: text, retryable: { type: 'boolean' }, details: { type: 'object' } },
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
  for (const name of Object.keys(ofLog)) messages[`event ${name}`] = eventOf(name, true);
  for (const name of Object.keys(pieces)) messages[`event ${name}`] = eventOf(name, false);
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

function eventOf(event: string, isOfLog: boolean): Json {
  const placed = { seq: whole, index: whole, last: { type: 'boolean' }, at: whole };
  return message(isOfLog ? 'Of the log of a run.' : 'A piece of an answer; it is not in the log.', {
    type: 'object',
    required: ['type', 'event', 'runId', ...(isOfLog ? Object.keys(placed) : []), 'payload'],
    properties: {
      type: { const: 'event' },
      event: { const: event },
      runId: text,
      ...(isOfLog && placed),
      payload: { type: 'object' },
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

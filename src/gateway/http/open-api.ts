import type { HttpPlace } from '../../protocol/methods.ts';
import { inputOf, type Json, lift, outputOf, sorted } from '../documents/json-schemas.ts';
import { defaultLimits } from '../gateway-options.ts';
import type { Method } from '../methods/method.ts';

const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'retryable'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What happened, and what to do.' },
    code: { type: 'string', description: 'Stable, for programs.' },
    retryable: { type: 'boolean' },
    details: { type: 'object' },
  },
};

const openAiErrorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'param', 'code'],
      properties: {
        message: { type: 'string' },
        type: { type: 'string' },
        param: { type: ['string', 'null'], description: 'The field of the request that it is about.' },
        code: { type: ['string', 'null'] },
      },
    },
  },
};

/** The errors of each interface. */
const errors = {
  '/api/v1': { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  '/v1': { 'application/json': { schema: { $ref: '#/components/schemas/OpenAiError' } } },
};

/** A file as the whole body: its fields besides the bytes are in the address. */
const fileBody = { '*/*': { schema: { type: 'string', format: 'binary' } } };

/** The HTTP interface, as OpenAPI 3.1. See https://spec.openapis.org/oas/v3.1.1 */
export function openApi(methods: readonly Method[], prefix = ''): Json {
  const components: Json = { Problem: problemSchema, OpenAiError: openAiErrorSchema };
  const paths: Record<string, Json> = {};
  for (const method of methods) {
    if (!method.http) continue;
    const path = `${method.http.root ?? '/api/v1'}${method.http.path}`;
    paths[path] ??= {};
    (paths[path] as Json)[method.http.verb] = operationOf(method, components);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Detent', version: '1', description: 'Agents as durable statecharts.' },
    externalDocs: { description: 'The WebSocket, as AsyncAPI.', url: 'asyncapi.json' },
    ...(prefix !== '' && { servers: [{ url: prefix }] }),
    security: [{ token: [] }],
    paths: sorted(paths),
    components: {
      schemas: sorted(components),
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function operationOf(method: Method, components: Json): Json {
  const place: HttpPlace = method.http ?? { verb: 'get', path: '' };
  const { verb, path, status = 200, root = '/api/v1', streams, takesKey, takesFile } = place;
  const {
    properties = {},
    required = [],
    $defs = {},
  } = inputOf(method) as {
    properties?: Record<string, Json>;
    required?: string[];
    $defs?: Json;
  };
  lift({ $defs }, components);
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
  const rest = Object.entries(properties).filter(([name]) => !inPath.includes(name));
  const isBody = verb === 'post' || verb === 'patch';
  const parameters = [
    ...inPath.map((name) => ({ name, in: 'path', required: true, schema: properties[name] ?? {} })),
    ...(isBody
      ? rest.flatMap(([name, schema]) =>
          takesFile && !['data', 'idempotencyKey'].includes(name)
            ? [{ name, in: 'query', description: 'Only beside a file as the body.', schema }]
            : [],
        )
      : rest.map(([name, schema]) => ({
          name,
          in: 'query',
          ...(required.includes(name) && { required: true }),
          schema: lift(schema, components),
        }))),
    ...('idempotencyKey' in properties || takesKey
      ? [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string', maxLength: 200 } }]
      : []),
  ];
  const needed = required.filter((name) => !inPath.includes(name));
  const body = {
    type: 'object',
    properties: lift(Object.fromEntries(rest), components),
    ...(needed.length > 0 && { required: needed }),
    additionalProperties: false,
  };
  return {
    operationId: method.name,
    summary: method.summary,
    description: `Needs the scope \`${method.scope}\`${method.talk ? ', or `talk`' : ''}.${takesFile ? ` A file has at most ${defaultLimits.maxUploadBytes} bytes, unless the host sets another limit; beyond it: 413.` : ''}`,
    ...(parameters.length > 0 && { parameters }),
    ...(isBody && {
      requestBody: { content: { 'application/json': { schema: body }, ...(takesFile && fileBody) } },
    }),
    responses: {
      [status]: {
        description: streams === 'always' ? 'Events, whose `data` has this schema each.' : 'Success.',
        content: {
          ...(streams !== 'always' && {
            'application/json': { schema: outputOf(method, components) },
          }),
          ...(streams && {
            'text/event-stream': {
              schema: streams === 'always' ? outputOf(method, components) : { type: 'string' },
            },
          }),
        },
      },
      default: {
        description: 'An error.',
        content: errors[root],
      },
    },
  };
}

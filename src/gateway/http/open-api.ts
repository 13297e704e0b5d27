import type { HttpPlace } from '../../protocol/methods/method.ts';
import { schemaOf } from '../dispatch.ts';
import type { Method } from '../methods/method.ts';

type Json = Record<string, unknown>;

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

const eventStream = { 'text/event-stream': { schema: { type: 'string' } } };

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
    ...(prefix !== '' && { servers: [{ url: prefix }] }),
    security: [{ token: [] }],
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function operationOf(method: Method, components: Json): Json {
  const place: HttpPlace = method.http ?? { verb: 'get', path: '' };
  const { verb, path, status = 200, root = '/api/v1', streams, takesKey } = place;
  const {
    properties = {},
    required = [],
    $defs = {},
  } = namedIn(method) as {
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
      ? []
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
    description: `Needs the scope \`${method.scope}\`.`,
    ...(parameters.length > 0 && { parameters }),
    ...(isBody && { requestBody: { content: { 'application/json': { schema: body } } } }),
    responses: {
      [status]: {
        description: 'Success.',
        content: {
          ...(streams !== 'always' && {
            'application/json': { schema: lift(schemaOf(method.output, 'output') as Json, components) },
          }),
          ...(streams && eventStream),
        },
      },
      default: {
        description: 'An error.',
        content: errors[root],
      },
    },
  };
}

/** The schema of an input, in which zod's own names of parts are unique among all methods. */
function namedIn({ name, input }: Method): Json {
  const text = JSON.stringify(schemaOf(input, 'input'));
  return JSON.parse(text.replaceAll('"__schema', `"${name}.part`).replaceAll('/__schema', `/${name}.part`));
}

/** Moves named schemas to the components: JSON Schema has them in `$defs`, and names them by `id`. */
function lift(schema: unknown, components: Json): unknown {
  if (Array.isArray(schema)) return schema.map((one) => lift(one, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $schema: _, $defs = {}, ...rest } = schema as Json & { $defs?: Json };
  for (const [name, definition] of Object.entries($defs as Record<string, Json>)) {
    const { id: _id, ...unnamed } = definition;
    components[name] ??= lift(unnamed, components);
  }
  // A property may be called `id`, too; its value is a schema.
  const id = typeof rest.id === 'string' ? rest.id : null;
  const lifted = Object.fromEntries(
    Object.entries(rest)
      .filter(([name]) => id === null || name !== 'id')
      .map(([name, value]) => [name, lift(value, components)]),
  );
  if (typeof lifted.$ref === 'string') lifted.$ref = lifted.$ref.replace('#/$defs/', '#/components/schemas/');
  if (id === null) return lifted;
  components[id] ??= lifted;
  return { $ref: `#/components/schemas/${id}` };
}

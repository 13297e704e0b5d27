import { readFileSync } from 'node:fs';
import { Validator as SchemaValidator } from '@cfworker/json-schema';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { withKeyedMethods } from '../../scripts/write-interface-documents.ts';
import { asyncApi } from '../../src/gateway/documents/async-api.ts';
import { openApi } from '../../src/gateway/http/open-api.ts';
import { describedMethods } from '../../src/gateway/http/routes.ts';
import { methods } from '../../src/gateway/methods/methods.ts';
import { undescribed } from '../support/described-events.ts';
import { served } from './support.ts';

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8'));

type Node = { [name: string]: Node };

/** What a JSON pointer of a document names. */
const at = (document: Node, pointer: string): unknown =>
  pointer
    .slice(2)
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<Node | undefined>((node, part) => node?.[part], document);

function pointersIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === '$ref' && typeof inner === 'string' ? [inner] : pointersIn(inner),
  );
}

describe.each([
  ['openapi.json', openApi(describedMethods)],
  ['asyncapi.json', asyncApi(methods)],
])('docs/%s', (name, described) => {
  it('is what the gateway does: else run "npm run docs:write"', () => {
    expect(read(name)).toEqual(described);
  });

  it('refers to nothing that it does not have', () => {
    const document = read(name);
    const missing = pointersIn(document).filter((pointer) => at(document, pointer) === undefined);
    expect(missing).toEqual([]);
  });
});

describe('docs/asyncapi.json', () => {
  const asked = {
    type: 'event',
    event: 'todo.updated',
    runId: 'run_1',
    seq: 1,
    index: 0,
    last: true,
    at: 1,
    payload: { items: [{ content: 'look', status: 'pending' }] },
  };

  it('has the payload of every event', () => {
    const { messages } = read('asyncapi.json').components;
    const events = Object.entries(messages).filter(([name]) => name.startsWith('event '));
    expect(events.length).toBeGreaterThan(25);
    for (const [name, { payload }] of events as [string, { payload: Node }][])
      expect([name, payload.properties?.payload]).toEqual([
        name,
        expect.objectContaining({ type: 'object' }),
      ]);
    expect(undescribed(asked)).toEqual([]);
  });

  it.each([
    ['another type', { ...asked, payload: { items: [{ content: 'look', status: 'later' }] } }],
    ['a missing field', { ...asked, payload: {} }],
    ['a field that is not described', { ...asked, payload: { ...asked.payload, more: 1 } }],
    ['a field beside the payload', { ...asked, more: 1 }],
    ['an unknown event', { ...asked, event: 'todo.later' }],
  ])('does not fit an event with %s', (_what, frame) => {
    expect(undescribed(frame)).not.toEqual([]);
  });
});

describe('docs/gateway.md', () => {
  it('has the methods that take a key: else run "npm run docs:write"', () => {
    const page = readFileSync(new URL('../../docs/gateway.md', import.meta.url), 'utf8');
    expect(withKeyedMethods(page)).toBe(page);
    for (const { name, keyed } of methods)
      expect(page.includes(`| \`${name}\` |`), name).toBe(keyed !== undefined);
  });
});

describe('docs/openapi.json', () => {
  it('is valid by the schema of OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(read('openapi.json'));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });
});

describe('the interface of OpenAI in docs/openapi.json', () => {
  const paths = read('openapi.json').paths as Record<string, Record<string, Node>>;

  it('has the schema of each event of a stream, and what an upload takes', () => {
    const { paths, components } = openApi(describedMethods) as {
      paths: Record<string, Record<string, object>>;
      components: { schemas: Record<string, { anyOf?: unknown[] }> };
    };
    const stream = JSON.stringify(paths['/api/v1/runs/{runId}/events']?.get);
    expect(stream).toContain('#/components/schemas/RunEvent');
    expect(stream).toContain('#/components/schemas/RunDelta');
    expect(JSON.stringify(components.schemas.RunDelta)).toContain('"offset"');
    const upload = paths['/api/v1/attachments']?.post;
    expect(upload).toMatchObject({
      description: expect.stringContaining('20971520 bytes'),
      requestBody: { content: { '*/*': { schema: { format: 'binary' } } } },
      parameters: expect.arrayContaining([expect.objectContaining({ name: 'name', in: 'query' })]),
    });
  });

  it('has every route that there is, and no other', async () => {
    const { http } = await served([]);
    const described = Object.entries(paths).flatMap(([path, verbs]) =>
      path.startsWith('/v1/') ? Object.keys(verbs).map((verb) => `${verb} ${path}`) : [],
    );
    expect(described.sort()).toEqual([
      'get /v1/models',
      'get /v1/models/{model}',
      'get /v1/responses/{runId}',
      'post /v1/chat/completions',
      'post /v1/responses',
    ]);
    for (const one of described) {
      const [verb = '', path = ''] = one.split(' ');
      const place = path.replace(/\{\w+\}/, 'default');
      const { status, body } = await http(place, { method: verb.toUpperCase(), token: null });
      // A route that is not there says 404.
      expect([one, status]).toEqual([one, 401]);
      expect(accepts(schemaAt(verb, path, 'responses/default'), body)).toEqual([]);
    }
  });

  const document = read('openapi.json');
  /** What a schema of the document has against a value. */
  const accepts = (schema: unknown, value: unknown) => {
    const whole = { ...(schema as object), $defs: document.components.schemas };
    const text = JSON.stringify(whole).replaceAll('"#/components/schemas/', '"#/$defs/');
    return new SchemaValidator(JSON.parse(text), '2020-12').validate(value).errors;
  };
  /** The schema of a body of JSON: of a request, or of a response. */
  const schemaAt = (verb: string, path: string, body: string) =>
    at(document, `#/paths/${path.replaceAll('/', '~1')}/${verb}/${body}/content/application~1json/schema`);

  it.each([
    ['/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: 'hi' }] }, true],
    ['/v1/chat/completions', { model: 'm', messages: [{ role: 'nobody', content: 'hi' }] }, false],
    ['/v1/chat/completions', { model: 'm', messages: [], temperature: 1 }, false],
    ['/v1/responses', { model: 'm', input: 'hi', metadata: { a: 'b' } }, true],
    ['/v1/responses', { model: 'm', input: 'hi', previous_response_id: 'run_1', later: 1 }, false],
  ])('%s says what its route takes: %j is %s', (path, body, isFine) => {
    const [method] = describedMethods.filter(
      ({ http }) => http?.root === '/v1' && http.path === path.slice(3),
    );
    expect(accepts(schemaAt('post', path, 'requestBody'), body).length === 0).toBe(isFine);
    expect(method?.input.safeParse(body).success).toBe(isFine);
  });
});

describe('the methods', () => {
  it('have names, and places over HTTP, of their own', () => {
    const places = describedMethods.map(({ http }) => `${http?.verb} ${http?.root} ${http?.path}`);
    expect(new Set(places).size).toBe(places.length);
    expect(new Set(methods.map(({ name }) => name)).size).toBe(methods.length);
  });

  it('take every field of their paths', () => {
    for (const { http, input } of describedMethods)
      for (const [, field] of http?.path.matchAll(/\{(\w+)\}/g) ?? [])
        expect(Object.keys(input.shape)).toContain(field);
  });

  it('refuse unknown fields', () => {
    for (const { name, input } of [...methods, ...describedMethods])
      expect(input.safeParse({ notAField: 1 }).success, name).toBe(false);
  });
});

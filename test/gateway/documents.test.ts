import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { withKeyedMethods } from '../../scripts/write-interface-documents.ts';
import { asyncApi } from '../../src/gateway/async-api.ts';
import { openApi } from '../../src/gateway/http/open-api.ts';
import { httpMethods } from '../../src/gateway/http/routes.ts';
import { methods } from '../../src/gateway/methods/methods.ts';

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
  ['openapi.json', openApi(httpMethods)],
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

describe('the methods', () => {
  it('have names, and places over HTTP, of their own', () => {
    const places = httpMethods.map(({ http }) => `${http?.verb} ${http?.path}`);
    expect(new Set(places).size).toBe(places.length);
    expect(new Set(methods.map(({ name }) => name)).size).toBe(methods.length);
  });

  it('take every field of their paths', () => {
    for (const { http, input } of httpMethods)
      for (const [, field] of http?.path.matchAll(/\{(\w+)\}/g) ?? [])
        expect(Object.keys(input.shape)).toContain(field);
  });

  it('refuse unknown fields', () => {
    for (const { name, input } of methods)
      expect(input.safeParse({ notAField: 1 }).success, name).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { responsesRequestBody } from '../../../src/models/openai/responses/responses-request.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';

const text = { type: 'string' };
const closed = (properties: JsonObject, rest: JsonObject = {}): JsonObject => {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
    ...rest,
  };
};

function strictOf(parameters: JsonObject, strict = true): unknown {
  const reliance = { store: false, thread: false, include: false, items: true, strict, output: true };
  const tools = [{ name: 't', description: '', parameters }];
  const body = responsesRequestBody({ model: 'm', messages: [], tools }, reliance);
  return (body.tools as JsonObject[])[0]?.strict;
}

/** A schema this many objects deep. */
const nested = (levels: number): JsonObject => (levels === 0 ? text : closed({ inner: nested(levels - 1) }));

describe('a tool is strict', () => {
  it.each<[string, JsonObject]>([
    ['no parameters', closed({})],
    ['closed objects of required properties', closed({ a: text, b: closed({ c: { type: 'integer' } }) })],
    [
      'lists, choices and optional values',
      closed({
        a: { type: 'array', items: text },
        b: { anyOf: [text, { type: 'null' }] },
        c: { type: ['string', 'null'], enum: ['x', null] },
      }),
    ],
    [
      'descriptions',
      closed(
        { a: { ...text, description: 'A', title: 'a' } },
        { $schema: 'https://json-schema.org/draft/2020-12/schema' },
      ),
    ],
    ['four levels', nested(4)],
  ])('with %s', (_, parameters) => expect(strictOf(parameters)).toBe(true));

  it('not where servers are not known to honour it', () => expect(strictOf(closed({}), false)).toBe(false));

  it.each<[string, JsonObject]>([
    ['an optional property', closed({ a: text }, { required: [] })],
    ['an open object', closed({ a: text }, { additionalProperties: true })],
    ['an object that does not say', { type: 'object', properties: { a: text }, required: ['a'] }],
    ['an optional property further in', closed({ a: closed({ b: text }, { required: [] }) })],
    ['a map', closed({ a: { type: 'object', additionalProperties: text } })],
    ['a keyword that not all models know', closed({ a: { ...text, pattern: '^a' } })],
    ['a default', closed({ a: { ...text, default: 'x' } })],
    ['anything at all', closed({ a: {} })],
    ['a list of anything', closed({ a: { type: 'array' } })],
    ['a choice at the top', { anyOf: [closed({})], type: 'object' }],
    ['no object', text],
    ['too many levels', nested(6)],
    [
      'too many properties',
      closed(Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`p${i}`, text]))),
    ],
  ])('not with %s', (_, parameters) => expect(strictOf(parameters)).toBe(false));
});

import { describe, expect, it } from 'vitest';
import { createDemoModel } from '../../../src/models/demo/index.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { checkOutput } from '../../../src/tools/output/output-schema.ts';
import { jsonSchemaIssues } from '../../../src/tools/registry/json-schema.ts';
import { toolSpecs, user } from './support.ts';

async function answerTo(text: string, schema: JsonObject, tools: readonly string[] = []) {
  const model = createDemoModel({ pieceDelayMs: 0 });
  const request = { model: 'demo', messages: [user(text)], tools: toolSpecs(tools), output: { schema } };
  const signal = new AbortController().signal;
  return model.generate(request, { signal, idempotencyKey: 'run:1', onDelta: () => {} });
}

const text = { type: 'string' };

describe('the demo, asked for an output', () => {
  it('says in the first text that it is a demo, and leaves the others empty', async () => {
    const schema = { type: 'object', properties: { a: text, b: text, c: text }, required: ['a', 'b'] };
    const { text: said } = await answerTo('hello', schema);
    expect(JSON.parse(said)).toEqual({ a: expect.stringContaining('not a language model'), b: '' });
  });

  it('calls tools first, as ever', async () => {
    const { text: said, toolCalls } = await answerTo('what is 6*7?', { type: 'object' }, ['calculator']);
    expect(toolCalls).toHaveLength(1);
    expect(() => JSON.parse(said)).toThrow();
  });

  it.each([
    ['numbers', { type: 'object', properties: { n: { type: 'integer', minimum: 2 } }, required: ['n'] }],
    ['lists', { type: 'array', items: text }],
    ['choices', { anyOf: [{ type: 'null' }, text] }],
    ['words', { enum: ['x', 'y'] }],
    ['constants', { type: 'object', properties: { kind: { const: 3 } }, required: ['kind'] }],
    ['defaults', { type: 'boolean', default: true }],
  ])('gives a value that fits %s', async (_, schema) => {
    const { text: said } = await answerTo('hello', schema as JsonObject);
    expect(
      await checkOutput(schema as JsonObject, null, said, { owner: 'a', schemaIssues: jsonSchemaIssues }),
    ).toMatchObject({ fits: true });
  });
});

import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { schemaChecker } from '../../../src/text/json-schema.ts';
import { jsonSchemaIssues } from '../../../src/tools/registry/json-schema.ts';
import { itDeep, someOf } from '../../support/deep.ts';

/** The same schema twice at every level: 2^levels of the innermost one. */
function doubled(levels: number): JsonObject {
  const $defs: Record<string, JsonObject> = { s0: { type: 'string' } };
  for (let i = 1; i <= levels; i++) {
    const inner = { $ref: `#/$defs/s${i - 1}` };
    $defs[`s${i}`] = { allOf: [inner, inner] };
  }
  return { $ref: `#/$defs/s${levels}`, $defs };
}

const evil: JsonObject = { pattern: '^(a+)+$' };
/** A thread validates by it: it has a pattern. */
const text: JsonObject = { type: 'string', pattern: '.' };
const endless = `${'a'.repeat(50)}!`;
const numbered = (count: number, field: string) => Array.from({ length: count }, (_, i) => ({ [field]: i }));

describe('a value that a schema takes for ever to validate', () => {
  it.each(
    someOf<[string, JsonObject, unknown]>(
      [
        ['a pattern that goes back again and again', evil, endless],
        ['such a pattern for names', { patternProperties: { '^(a|a)*$': {} } }, { [endless]: 1 }],
        ['references that double at every level', doubled(40), 'x'],
        ['unique items', { uniqueItems: true }, numbered(40_000, 'a')],
        ['an enum of objects', { items: { enum: numbered(9_000, 'a') } }, numbered(9_000, 'b')],
      ],
      2,
    ),
  )('is given up, and others have their turn meanwhile: %s', async (name, schema, value) => {
    let isOver = false;
    let turns = 0;
    const slow = expect(jsonSchemaIssues(schema, value, name)).rejects.toThrow('takes too long');
    const counting = (async () => {
      while (!isOver) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        turns++;
      }
    })();
    await slow;
    isOver = true;
    await counting;
    // In the thread of the program there is one.
    expect(turns).toBeGreaterThan(10);
    // The next value finds a thread again.
    expect(await jsonSchemaIssues(evil, 'aaa', name)).toEqual([]);
  });

  itDeep('is paid for by who brought the schema: others come first, a budget ends it', async () => {
    // What a budget gets back each second would depend on how busy the machine is.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const ended: string[] = [];
    const attacks = Array.from({ length: 8 }, async (_, i) => {
      const error = await jsonSchemaIssues({ ...evil, title: String(i) }, endless, 'attacker').catch(String);
      ended.push(`attacker: ${String(error).includes('too long to validate') ? 'refused' : 'given up'}`);
    });
    await jsonSchemaIssues(text, 'x', 'other');
    ended.push('other');
    await Promise.all(attacks);
    expect(ended.indexOf('other')).toBeLessThanOrEqual(1);
    expect(ended.filter((one) => one.endsWith('refused')).length).toBeGreaterThan(1);
  });

  it('is not one whose thread does not get to run on a busy machine', async () => {
    await jsonSchemaIssues(text, 'x', 'honest');
    const { postMessage } = Worker.prototype;
    onTestFinished(() => void vi.restoreAllMocks());
    vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, ...message) {
      setTimeout(() => postMessage.apply(this, message), 700);
    });
    expect(await jsonSchemaIssues(text, 1, 'honest')).toHaveLength(1);
  });

  itDeep('costs what the thread worked, not what this process was busy with meanwhile', async () => {
    for (let n = 0; n < 50; n++) {
      const validated = jsonSchemaIssues(text, 'x', 'honest');
      const until = performance.now() + 50;
      while (performance.now() < until);
      expect(await validated).toEqual([]);
    }
  });
});

describe('a value that is validated in a moment', () => {
  const plain: JsonObject = {
    type: 'object',
    title: 'a place',
    properties: {
      name: { type: 'string', minLength: 1 },
      at: { anyOf: [{ type: 'number', minimum: 0 }, { const: null }] },
      tags: { type: 'array', maxItems: 3, items: { enum: ['a', 'b'] } },
    },
    required: ['name'],
    additionalProperties: false,
  };
  /** How many values the thread was sent meanwhile. */
  async function sentToThread(validate: () => Promise<unknown>): Promise<number> {
    onTestFinished(() => void vi.restoreAllMocks());
    const sent = vi.spyOn(Worker.prototype, 'postMessage');
    await validate();
    return sent.mock.calls.length;
  }

  it('needs no thread, and finds what the thread finds', async () => {
    for (const value of [
      { name: 'x', at: null },
      { name: '', tags: ['a', 'c'], more: 1 },
      { at: -1 },
      [],
      1,
    ]) {
      const sent = await sentToThread(async () => {
        // A schema with a pattern that fits everything says the same, in the thread.
        const there = await jsonSchemaIssues({ ...plain, pattern: '' }, value, 'a');
        vi.mocked(Worker.prototype.postMessage).mockClear();
        expect(await jsonSchemaIssues(plain, value, 'a')).toEqual(there);
      });
      expect(sent).toBe(0);
    }
  });

  it.each<[string, JsonObject, unknown]>([
    ['a pattern', { pattern: 'a' }, 'a'],
    ['a pattern far inside', { items: { properties: { a: { anyOf: [{ pattern: 'a' }] } } } }, []],
    ['patterns for names', { patternProperties: { a: {} } }, {}],
    ['names that must fit', { propertyNames: { pattern: 'a' } }, {}],
    ['a format', { format: 'email' }, 'a'],
    ['a reference', { $ref: '#/$defs/a', $defs: { a: {} } }, 1],
    ['unique items', { uniqueItems: true }, []],
    ['a constant with parts', { const: { a: 1 } }, 1],
    ['an enum with parts', { enum: [1, [2]] }, 1],
    ['a keyword that is not known', { other: 1 }, 1],
    ['a schema of another shape', { properties: [] }, {}],
    [
      'a long list of schemas and a long value',
      // Each of the one is compared with each of the other: few enough for any machine.
      { items: { anyOf: Array(80).fill({ type: 'null' }) } },
      Array(80).fill(1),
    ],
    ['many levels', Array.from({ length: 30 }).reduce<JsonObject>((items) => ({ items }), {}), []],
  ])('has not %s: that goes to the thread', async (name, schema, value) => {
    const sent = await sentToThread(() => jsonSchemaIssues(schema, value, name));
    expect(sent).toBeGreaterThan(0);
  });
});

it('a schema that is broken throws what is wrong with it', async () => {
  await expect(jsonSchemaIssues({ $ref: '#/nowhere' }, 1, 'a')).rejects.toThrow(/Unresolved|nowhere/);
});

it('a value that cannot be sent to the thread is refused, and the next one is validated', async () => {
  await expect(jsonSchemaIssues({}, () => {}, 'a')).rejects.toThrow('could not be cloned');
  expect(await jsonSchemaIssues(text, 1, 'a')).toHaveLength(1);
});

it('keeps the validators of the schemas that were used last, and no others', () => {
  const issuesOf = schemaChecker();
  // A validator is made of a copy of its schema.
  const copies = vi.spyOn(JSON, 'parse');
  onTestFinished(() => copies.mockRestore());
  const madeFor = (max: number) => {
    copies.mockClear();
    expect(issuesOf({ type: 'number', maximum: max }, max + 1)).toHaveLength(1);
    return copies.mock.calls.length;
  };
  expect(Array.from({ length: 25 }, (_, n) => madeFor(n))).toEqual(Array(25).fill(1));
  expect([madeFor(24), madeFor(5), madeFor(4)]).toEqual([0, 0, 1]);
  // The one before was used again meanwhile.
  expect([madeFor(5), madeFor(6)]).toEqual([0, 1]);
});

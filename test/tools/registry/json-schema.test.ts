import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { jsonSchemaIssues } from '../../../src/tools/registry/json-schema.ts';

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
const endless = `${'a'.repeat(50)}!`;
const numbered = (count: number, field: string) => Array.from({ length: count }, (_, i) => ({ [field]: i }));

describe('a value that a schema takes for ever to validate', () => {
  it.each<[string, JsonObject, unknown]>([
    ['a pattern that goes back again and again', evil, endless],
    ['such a pattern for names', { patternProperties: { '^(a|a)*$': {} } }, { [endless]: 1 }],
    ['references that double at every level', doubled(40), 'x'],
    ['unique items', { uniqueItems: true }, numbered(40_000, 'a')],
    ['an enum of objects', { items: { enum: numbered(9_000, 'a') } }, numbered(9_000, 'b')],
  ])('is given up, and others have their turn meanwhile: %s', async (name, schema, value) => {
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

  it('is paid for by who brought the schema: others come first, a budget ends it', async () => {
    const ended: string[] = [];
    const attacks = Array.from({ length: 8 }, async (_, i) => {
      const error = await jsonSchemaIssues({ ...evil, title: String(i) }, endless, 'attacker').catch(String);
      ended.push(`attacker: ${String(error).includes('too long to validate') ? 'refused' : 'given up'}`);
    });
    await jsonSchemaIssues({ type: 'string' }, 'x', 'other');
    ended.push('other');
    await Promise.all(attacks);
    expect(ended.indexOf('other')).toBeLessThanOrEqual(1);
    expect(ended.filter((one) => one.endsWith('refused')).length).toBeGreaterThan(1);
  });

  it('is not one whose thread does not get to run on a busy machine', async () => {
    await jsonSchemaIssues({ type: 'string' }, 'x', 'honest');
    const { postMessage } = Worker.prototype;
    onTestFinished(() => void vi.restoreAllMocks());
    vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, ...message) {
      setTimeout(() => postMessage.apply(this, message), 700);
    });
    expect(await jsonSchemaIssues({ type: 'string' }, 1, 'honest')).toHaveLength(1);
  });

  it('costs what the thread worked, not what this process was busy with meanwhile', async () => {
    for (let n = 0; n < 50; n++) {
      const validated = jsonSchemaIssues({ type: 'string' }, 'x', 'honest');
      const until = performance.now() + 50;
      while (performance.now() < until);
      expect(await validated).toEqual([]);
    }
  });
});

it('a schema that is broken throws what is wrong with it', async () => {
  await expect(jsonSchemaIssues({ $ref: '#/nowhere' }, 1, 'a')).rejects.toThrow(/Unresolved|nowhere/);
});

it('a value that cannot be sent to the thread is refused, and the next one is validated', async () => {
  await expect(jsonSchemaIssues({}, () => {}, 'a')).rejects.toThrow('could not be cloned');
  expect(await jsonSchemaIssues({ type: 'string' }, 1, 'a')).toHaveLength(1);
});

import { describe, expect, it } from 'vitest';
import { JsonSchemaCheck } from '../../../src/tools/registry/json-schema.ts';

/** The same schema twice at every level: 2^levels of the innermost one. */
function doubled(levels: number) {
  const $defs: Record<string, object> = { s0: { type: 'string' } };
  for (let i = 1; i <= levels; i++) {
    const inner = { $ref: `#/$defs/s${i - 1}` };
    $defs[`s${i}`] = { allOf: [inner, inner] };
  }
  return { $ref: `#/$defs/s${levels}`, $defs };
}

describe('a value that a schema takes for ever to validate', () => {
  it.each<[string, ConstructorParameters<typeof JsonSchemaCheck>[0], unknown]>([
    ['a pattern that goes back again and again', { pattern: '^(a+)+$' }, `${'a'.repeat(50)}!`],
    ['such a pattern for names', { patternProperties: { '^(a|a)*$': {} } }, { [`${'a'.repeat(50)}!`]: 1 }],
    ['references that double at every level', doubled(40) as never, 'x'],
  ])('is given up: %s', async (_, schema, value) => {
    const check = new JsonSchemaCheck(schema);
    await expect(check.issuesOf(value)).rejects.toThrow('takes too long');
    // The same check goes on with other values.
    if ('pattern' in schema) expect(await check.issuesOf('aaa')).toEqual([]);
  });
});

it('a schema that is broken throws what is wrong with it', async () => {
  await expect(new JsonSchemaCheck({ $ref: '#/nowhere' }).issuesOf(1)).rejects.toThrow(/Unresolved|nowhere/);
});

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DetentError } from '../../../src/protocol/error.ts';
import { outputJsonSchema } from '../../../src/tools/output/output-schema.ts';

const refused = (schema: Record<string, unknown>) => {
  try {
    outputJsonSchema(schema);
  } catch (error) {
    if (DetentError.is(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('the schema was taken');
};

describe('an output schema is refused', () => {
  it('for a reference that is no address', () => {
    const schema = { type: 'object', properties: { a: { $ref: '#/%' } } };
    expect(refused(schema)).toBe(
      'INVALID_OUTPUT_SCHEMA: output is not a usable schema: #/properties/a/$ref: there is no "#/%" in the schema',
    );
  });

  it('for a bad pattern of names', () => {
    expect(refused({ type: 'object', patternProperties: { '(': {} } })).toContain(
      '#/patternProperties/( is not a regular expression',
    );
  });

  it('for more patterns than it takes a moment to read', () => {
    const pattern = '[\\p{L}\\p{N}]'.repeat(200);
    const properties = Object.fromEntries(
      ['a', 'b', 'c', 'd'].map((name) => [name, { type: 'string', pattern }]),
    );
    expect(refused({ type: 'object', properties })).toContain('the patterns have more than 8000 characters');
  });
});

it('references that lead to references are followed once each', () => {
  const length = 2_000;
  const $defs: Record<string, object> = { [length]: { type: 'string' } };
  for (let i = 0; i < length; i++) $defs[i] = { $ref: `#/$defs/${i + 1}` };
  const decoded = vi.spyOn(globalThis, 'decodeURIComponent');
  onTestFinished(() => decoded.mockRestore());
  expect(outputJsonSchema({ type: 'object', $defs })).toHaveProperty('$defs');
  expect(decoded.mock.calls.length).toBeLessThan(10 * length);
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { checkOutput, outputJsonSchema } from '../../../src/tools/output/output-schema.ts';
import { jsonSchemaIssues } from '../../../src/tools/registry/json-schema.ts';
import { withModel } from '../../support/detent.ts';
import { sized } from '../../support/size.ts';

/** A schema, a value that fits it, and one that does not. */
interface Sample {
  schema: JsonObject;
  fits: JsonValue;
  misfits: JsonValue;
}

const leaf: fc.Arbitrary<Sample> = fc.oneof(
  fc.string().map((fits) => ({ schema: { type: 'string' }, fits, misfits: 7 })),
  fc.integer().map((fits) => ({ schema: { type: 'integer' }, fits, misfits: 0.5 })),
  fc.boolean().map((fits) => ({ schema: { type: 'boolean' }, fits, misfits: 'yes' })),
  fc.constantFrom('red', 'green').map((fits) => ({
    schema: { enum: ['red', 'green'] },
    fits,
    misfits: 'blue',
  })),
  fc.nat(9).map((fits) => ({ schema: { type: 'number', maximum: 9 }, fits, misfits: 10 })),
);

const { sample } = fc.letrec<{ sample: Sample; list: Sample; object: Sample }>((tie) => ({
  sample: fc.oneof({ maxDepth: 3 }, leaf, tie('list'), tie('object')),
  list: tie('sample').map(({ schema, fits, misfits }) => ({
    schema: { type: 'array', items: schema },
    fits: [fits, fits],
    misfits: [fits, misfits],
  })),
  object: fc
    .tuple(
      fc.dictionary(fc.string({ minLength: 1 }), tie('sample'), { minKeys: 1, maxKeys: 4 }),
      fc.nat(),
      fc.boolean(),
    )
    .map(([properties, pick, isMissing]) => objectOf(properties, pick, isMissing)),
}));

/** All properties are required; the value that does not fit lacks one, or has a wrong one. */
function objectOf(properties: Readonly<Record<string, Sample>>, pick: number, isMissing: boolean): Sample {
  const entries = Object.entries(properties);
  const bad = entries[pick % entries.length]?.[0];
  const with_ = (choose: (name: string, sample: Sample) => JsonValue | undefined) =>
    Object.fromEntries(
      entries.flatMap(([name, inner]) => {
        const value = choose(name, inner);
        return value === undefined ? [] : [[name, value] as const];
      }),
    );
  return {
    schema: {
      type: 'object',
      properties: with_((_, inner) => inner.schema) as JsonObject,
      required: entries.map(([name]) => name),
    },
    fits: with_((_, inner) => inner.fits),
    misfits: with_((name, inner) => (name !== bad ? inner.fits : isMissing ? undefined : inner.misfits)),
  };
}

it('a value that fits any schema is read back, however it is wrapped, and one that does not is refused', async () => {
  const wraps = [(json: string) => json, (json: string) => `\`\`\`json\n${json}\n\`\`\``];
  await fc.assert(
    fc.asyncProperty(sample, fc.constantFrom(...wraps), async ({ schema, fits, misfits }, wrap) => {
      const printed = outputJsonSchema(schema);
      const checked = await checkOutput(printed, null, wrap(JSON.stringify(fits)), {
        owner: 'a',
        schemaIssues: jsonSchemaIssues,
      });
      expect(checked).toEqual({ fits: true, value: JSON.parse(JSON.stringify(fits)) });
      expect(
        await checkOutput(printed, null, wrap(JSON.stringify(misfits)), {
          owner: 'a',
          schemaIssues: jsonSchemaIssues,
        }),
      ).toMatchObject({
        fits: false,
      });
    }),
    { numRuns: sized(300, 10_000) },
  );
});

it('a run mends an answer that does not fit, or ends as invalid_output', async () => {
  await fc.assert(
    fc.asyncProperty(sample, fc.boolean(), async ({ schema, fits, misfits }, isMended) => {
      const script = [{ output: misfits }, { output: isMended ? fits : misfits }];
      const view = await withModel(scriptedModel(script)).run('go', { output: schema }).result;
      expect(view.outcome).toBe(isMended ? 'completed' : 'invalid_output');
      expect(view.output).toEqual(isMended ? JSON.parse(JSON.stringify(fits)) : undefined);
    }),
    { numRuns: sized(15, 300) },
  );
});

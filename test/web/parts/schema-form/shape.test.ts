import { describe, expect, it } from 'vitest';
import { type Field, shapeOf } from '../../../../web/src/parts/schema-form/shape.ts';

const object = (properties: Record<string, unknown>, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
});

function fieldsOf(schema: object, value?: unknown): Record<string, Field> {
  const shape = shapeOf(schema, value);
  if (shape.kind !== 'object') throw new Error(`a shape of kind ${shape.kind}`);
  return Object.fromEntries(shape.fields.map((field) => [field.name, field]));
}

describe('shapeOf', () => {
  it('has an input for texts, numbers, flags, choices, lists and objects, with their bounds and descriptions', () => {
    const fields = fieldsOf(
      object(
        {
          name: { type: 'string', description: 'Of the tea', minLength: 1, maxLength: 9, pattern: '^[A-Z]' },
          price: { type: 'number', minimum: 0, exclusiveMaximum: 100 },
          packs: { type: 'integer', multipleOf: 6, default: 12 },
          fresh: { type: 'boolean' },
          kind: { enum: ['green', 'black', 3] },
          months: { type: 'array', items: { enum: ['May', 'June'] }, uniqueItems: true, minItems: 1 },
          notes: { type: 'array', items: { type: 'string' } },
          from: object({ city: { type: 'string', title: 'City' } }),
        },
        ['name'],
      ),
    );
    expect(fields.name).toMatchObject({
      isRequired: true,
      shape: {
        kind: 'text',
        about: 'Of the tea',
        minLength: 1,
        maxLength: 9,
        pattern: '^[A-Z]',
        isLong: false,
      },
    });
    expect(fields.price?.shape).toMatchObject({ kind: 'number', isInteger: false, min: 0, below: 100 });
    expect(fields.packs).toMatchObject({ default: 12, shape: { kind: 'number', isInteger: true, step: 6 } });
    expect(fields.fresh?.shape.kind).toBe('boolean');
    expect(fields.kind?.shape).toMatchObject({
      kind: 'choice',
      options: [{ title: 'green' }, {}, { value: 3, title: '3' }],
    });
    expect(fields.months?.shape).toMatchObject({
      kind: 'choices',
      minItems: 1,
      options: [{ value: 'May' }, {}],
    });
    expect(fields.notes?.shape.kind).toBe('list');
    expect(fields.from?.shape).toMatchObject({
      kind: 'object',
      fields: [{ name: 'city', shape: { title: 'City' } }],
    });
  });

  it('gives a text area to a text that is long or has several lines', () => {
    const schema = object({ content: { type: 'string' } });
    expect(fieldsOf(schema, { content: 'one\ntwo' }).content?.shape).toMatchObject({ isLong: true });
    expect(fieldsOf(schema, { content: 'one' }).content?.shape).toMatchObject({ isLong: false });
  });

  it('lets a value be null where the schema does, however it says that', () => {
    for (const schema of [
      { type: ['string', 'null'] },
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      { oneOf: [{ $ref: '#/$defs/text' }, { type: 'null' }], $defs: { text: { type: 'string' } } },
    ])
      expect(shapeOf(schema, null)).toMatchObject({
        kind: 'union',
        variants: [{ shape: { kind: 'text' } }, { shape: { kind: 'null' } }],
      });
  });

  it('takes constants with titles for a choice, and follows references within the schema', () => {
    const schema = {
      $ref: '#/$defs/size',
      $defs: {
        size: {
          oneOf: [
            { const: 's', title: 'Small' },
            { const: 'l', title: 'Large' },
          ],
        },
      },
    };
    expect(shapeOf(schema, 's')).toMatchObject({
      kind: 'choice',
      options: [{ title: 'Small' }, { value: 'l' }],
    });
  });

  it('falls back to JSON for what it cannot express, and for values that do not fit', () => {
    expect(shapeOf({}, { a: 1 }).kind).toBe('json');
    expect(shapeOf({ type: 'object', patternProperties: {} }, {}).kind).toBe('json');
    expect(shapeOf({ type: 'array', prefixItems: [{}] }, [1]).kind).toBe('json');
    expect(shapeOf({ anyOf: [{ type: 'string' }, { not: {} }] }, 'a').kind).toBe('json');
    expect(shapeOf({ $ref: 'https://elsewhere.example/schema.json' }, 1).kind).toBe('json');
    expect(fieldsOf(object({ n: { type: 'number' } }), { n: 'seven' }).n?.shape.kind).toBe('json');
    expect(shapeOf({ type: 'string' }, { nested: true }).kind).toBe('json');
  });

  it('keeps the fields of a value that the schema does not name', () => {
    const { more, words, figure } = fieldsOf(object({ a: {} }), { more: [1], words: 'a\nb', figure: 7 });
    expect(more).toMatchObject({ isRequired: false, shape: { kind: 'json' } });
    expect(words?.shape).toMatchObject({ kind: 'text', isLong: true });
    expect(figure?.shape.kind).toBe('number');
  });

  it('ends with schemas that contain themselves, and with those that refer in a circle', () => {
    const tree = { $ref: '#/$defs/node', $defs: { node: object({ next: { $ref: '#/$defs/node' } }) } };
    let shape = shapeOf(tree, undefined);
    let depth = 0;
    while (shape.kind === 'object' && shape.fields[0]) {
      shape = shape.fields[0].shape;
      depth++;
    }
    expect([shape.kind, depth]).toEqual(['json', 7]);
    expect(shapeOf({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }, 1).kind).toBe('json');
  });
});

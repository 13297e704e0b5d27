import { describe, expect, it } from 'vitest';
import {
  type Draft,
  draftOf,
  emptyDraft,
  isSameDraft,
  readDraft,
} from '../../../../web/src/parts/schema-form/draft.ts';
import { shapeOf } from '../../../../web/src/parts/schema-form/shape.ts';

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1 },
    packs: { type: 'integer', minimum: 1, maximum: 10 },
    ratio: { type: 'number' },
    fresh: { type: 'boolean' },
    kind: { enum: ['green', 'black'] },
    months: { type: 'array', items: { enum: ['May', 'June'] }, uniqueItems: true },
    lines: {
      type: 'array',
      items: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
    },
    note: { type: ['string', 'null'] },
    extra: {},
  },
  required: ['path', 'packs'],
};

function formOf(value: Record<string, unknown>) {
  const shape = shapeOf(schema, value);
  const draft = draftOf(shape, value) as Draft & { kind: 'object' };
  const read = (changed: Record<string, Draft>) =>
    readDraft(shape, { ...draft, fields: { ...draft.fields, ...changed } });
  return { shape, draft, read };
}

describe('readDraft', () => {
  it('takes an empty text that is required for a missing one, except in arguments, or where the schema has a minimum length', () => {
    const text = (more: object) => ({
      type: 'object',
      properties: { a: { type: 'string', ...more } },
      required: ['a'],
    });
    const problemsOf = (more: object, mayBeEmpty?: boolean) => {
      const shape = shapeOf(text(more), undefined);
      return readDraft(shape, draftOf(shape, undefined), { mayBeEmpty }).problems;
    };
    expect(problemsOf({})).toEqual({ a: 'This is needed.' });
    expect(problemsOf({ minLength: 0 })).toEqual({});
    expect(problemsOf({}, true)).toEqual({});
  });

  it('gives back exactly the value that the form began with, whatever is in it', () => {
    for (const value of [
      { path: 'a', packs: 3 },
      { path: '', packs: 3, ratio: 0.1, fresh: false, kind: 'black', months: ['June'], note: null },
      {
        path: 'a',
        packs: 3,
        lines: [{ sku: 'x' }, { sku: 'y', more: [1, null] }],
        extra: { deep: [{}] },
        unknown: '7',
      },
      { path: 'a\nb', packs: 'not a number', note: 'text' },
    ]) {
      const { shape, draft } = formOf(value);
      expect(readDraft(shape, draft).value).toEqual(value);
    }
  });

  it('leaves out what is left out, and keeps an empty text that was written', () => {
    const { read } = formOf({ path: 'a', packs: 1, kind: 'green' });
    expect(read({ kind: undefined }).value).toEqual({ path: 'a', packs: 1 });
    expect(read({ note: { kind: 'union', at: 0, draft: { kind: 'text', text: '' } } }).value).toMatchObject({
      note: '',
    });
  });

  it('names each wrong field by its path, and says what it must be', () => {
    const { read } = formOf({ path: 'a', packs: 1, lines: [{ sku: 'x' }] });
    const { problems } = read({
      path: { kind: 'text', text: '' },
      packs: { kind: 'number', text: '11' },
      ratio: { kind: 'number', text: 'many' },
      extra: { kind: 'json', text: '{"a":' },
    });
    expect(problems).toEqual({
      path: 'This is needed.',
      packs: 'At most 10.',
      ratio: 'This is not a number.',
      extra: expect.stringContaining('This is not JSON: '),
    });
    expect(read({ packs: { kind: 'number', text: '1.5' } }).problems).toEqual({
      packs: 'It must be a whole number.',
    });
    expect(read({ packs: { kind: 'number', text: ' ' } }).problems).toEqual({ packs: 'This is needed.' });
  });

  it('checks texts by characters, format and pattern, but leaves patterns that may never end to the gateway', () => {
    const problem = (of: object, text: string) =>
      readDraft(shapeOf({ type: 'string', ...of }, undefined), { kind: 'text', text }).problems[''];
    expect(problem({ maxLength: 2 }, '龙井茶')).toBe('At most 2 characters.');
    expect(problem({ maxLength: 2 }, '👩‍🍳'.slice(0, 2))).toBeUndefined();
    expect(problem({ pattern: '^[a-z]+$' }, 'ABC')).toBe('It must match ^[a-z]+$.');
    expect(problem({ pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`)).toBeUndefined();
    expect(problem({ pattern: '[' }, 'x')).toBeUndefined();
    expect(problem({ format: 'email' }, 'not a mail')).toBe('This is not a valid email.');
    expect(problem({ format: 'of-mine' }, 'anything')).toBeUndefined();
  });

  it('checks bounds of numbers, and counts of lists', () => {
    const number = (of: object, text: string) =>
      readDraft(shapeOf({ type: 'number', ...of }, undefined), { kind: 'number', text }).problems[''];
    expect(number({ exclusiveMinimum: 0 }, '0')).toBe('More than 0.');
    expect(number({ exclusiveMaximum: 1 }, '1')).toBe('Less than 1.');
    expect(number({ multipleOf: 0.1 }, '0.3')).toBeUndefined();
    expect(number({ multipleOf: 6 }, '13')).toBe('It must be a multiple of 6.');
    const list = shapeOf({ type: 'array', items: { type: 'string' }, minItems: 1 }, undefined);
    expect(readDraft(list, { kind: 'list', items: [] }).problems).toEqual({ '': 'At least 1.' });
  });
});

describe('emptyDraft', () => {
  it('begins with the defaults, and asks for what is required', () => {
    const shape = shapeOf(
      {
        type: 'object',
        properties: { n: { type: 'integer', default: 3 }, s: { type: 'string' } },
        required: ['s'],
      },
      undefined,
    );
    expect(readDraft(shape, emptyDraft(shape)).value).toEqual({ n: 3, s: '' });
  });
});

describe('isSameDraft', () => {
  it('compares what drafts say', () => {
    const { draft } = formOf({ path: 'a', packs: 1, lines: [{ sku: 'x' }] });
    expect(isSameDraft(draft, formOf({ path: 'a', packs: 1, lines: [{ sku: 'x' }] }).draft)).toBe(true);
    expect(isSameDraft(draft, formOf({ path: 'a', packs: 1, lines: [{ sku: 'y' }] }).draft)).toBe(false);
    expect(isSameDraft(undefined, { kind: 'text', text: '' })).toBe(false);
  });
});

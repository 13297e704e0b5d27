import { expect, it } from 'vitest';
import { defaultsOfQuestion, schemaOfQuestion } from '../../../../web/src/parts/question/question-schema.ts';
import { draftOf, readDraft } from '../../../../web/src/parts/schema-form/draft.ts';
import { shapeOf } from '../../../../web/src/parts/schema-form/shape.ts';

it('makes one form of all that a tool may ask, with its defaults', () => {
  const question = {
    text: 'Which tea?',
    fields: [
      { name: 'tea', type: 'text' as const, options: [{ value: 'lj', title: 'Longjing' }, { value: 'dh' }] },
      { name: 'months', type: 'text' as const, multiple: true as const, options: [{ value: 'May' }], min: 1 },
      { name: 'packs', type: 'integer' as const, min: 1, max: 9, default: 3 },
      { name: 'mail', type: 'text' as const, format: 'email' as const, optional: true as const },
      { name: 'gift', type: 'boolean' as const },
    ],
  };
  const schema = schemaOfQuestion(question);
  expect(schema.required).toEqual(['tea', 'months', 'gift']);
  const shape = shapeOf(schema, undefined);
  expect(shape.kind === 'object' && shape.fields.map((field) => field.shape.kind)).toEqual([
    'choice',
    'choices',
    'number',
    'text',
    'boolean',
  ]);
  const { value, problems } = readDraft(shape, draftOf(shape, defaultsOfQuestion(question)));
  expect(value).toEqual({ months: [], packs: 3, gift: false });
  expect(problems).toEqual({ tea: 'This is needed.', months: 'At least 1.' });
});

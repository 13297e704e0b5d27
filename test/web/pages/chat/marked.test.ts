import { expect, it } from 'vitest';
import { markedParts } from '../../../../web/src/pages/chat/marked.ts';

const marked = (said: string, query: string) =>
  markedParts(said, query)
    .map(({ text, isMarked }) => (isMarked ? `[${text}]` : text))
    .join('');

it('marks the words that were searched for, whatever their case', () => {
  expect(marked('Two Packs of tea', 'packs tea')).toBe('Two [Packs] of [tea]');
  expect(marked('两包龙井', '龙井')).toBe('两包[龙井]');
});

it('shows the part of a long text in which they stand', () => {
  expect(marked(`${'word '.repeat(80)}tea`, 'tea')).toMatch(/^….{10,40}\[tea\]$/);
});

it('takes signs of the query for no pattern', () => {
  expect(marked('a (b', '(b|.*')).toBe('a ([b]');
  expect(marked('nothing', '***')).toBe('nothing');
});

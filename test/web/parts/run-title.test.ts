import { expect, it } from 'vitest';
import { runTitle } from '../../../web/src/parts/run-title.ts';

it('names a workflow by its chart and by the value of its input that tells it from others', () => {
  const titles = [
    '{"order":"o1","amount":5}',
    '{"a":{"b":1},"n":12}',
    'book Bonn',
    '',
    '7',
    '{"text":"cut sho…',
  ];
  expect(titles.map((prompt) => runTitle({ prompt, workflow: 'trip' }))).toEqual([
    'trip: o1',
    'trip: 12',
    'trip: book Bonn',
    'trip',
    'trip: 7',
    'trip',
  ]);
});

it('names a call of a workflow by its question or its tool, and another run by its words', () => {
  expect(runTitle({ prompt: '', model: 'workflow/refund' })).toBe('refund');
  expect(runTitle({ prompt: 'Send o1?', model: 'workflow/ask' })).toBe('Send o1?');
  expect(runTitle({ prompt: 'hello', model: 'demo/demo' })).toBe('hello');
  expect(runTitle({ prompt: '', model: null })).toBe('');
});

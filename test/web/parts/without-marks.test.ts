import { expect, it } from 'vitest';
import { withoutMarks } from '../../../web/src/parts/without-marks.ts';

it.each([
  ['17 * 23 = 391', '17 * 23 = 391'],
  ['2*3*4, 2**8, a hotel with 5*', '2*3*4, 2**8, a hotel with 5*'],
  ['**That was** one *run*: `c2`', 'That was one run: c2'],
  ['# Title ## Part', 'Title Part'],
  ['We are # 1', 'We are # 1'],
  ['it was **cut', 'it was cut'],
])('of %j is %j', (markdown, plain) => {
  expect(withoutMarks(markdown)).toBe(plain);
});

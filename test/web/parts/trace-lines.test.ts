import fc from 'fast-check';
import { expect, it } from 'vitest';
import { traceLines } from '../../../web/src/parts/trace-lines.ts';

it('draws time as length and the state as height', () => {
  const lines = traceLines(
    [
      ['thinking', 3_000],
      ['tooling', 1_000],
      ['awaitingConfirm', 4_000],
    ],
    172,
    30,
  );
  expect(lines.map(({ state, from, to }) => [state, Math.round(from), Math.round(to)])).toEqual([
    ['think', 1, 61],
    ['tool', 61, 81],
    ['ask', 81, 161],
  ]);
  const [think, tool, ask] = lines.map(({ y }) => y);
  // A person is asked above the model, tools work below it.
  expect(ask).toBeLessThan(think ?? 0);
  expect(tool).toBeGreaterThan(think ?? 0);
});

it('shows every state that was there, within its width', () => {
  const courses = fc.array(fc.tuple(fc.constantFrom('thinking', 'tooling', 'unheard'), fc.nat()), {
    maxLength: 24,
  });
  fc.assert(
    fc.property(courses, (course) => {
      const lines = traceLines(course, 190, 30);
      expect(lines).toHaveLength(course.length);
      for (const { from, to } of lines) {
        expect(to).toBeGreaterThan(from);
        expect(to).toBeLessThanOrEqual(190);
      }
    }),
  );
});

import { expect, it } from 'vitest';
import { Progress } from '../../../src/cli/terminal/progress.ts';

it('does not say of an unsafe call whose process died that it runs again', () => {
  const take = (calls: object[]) => {
    const progress = new Progress();
    const signal = (type: string, path: string, at: number, rest: object = {}) =>
      ({ path: `active.working.tooling.${path}`, event: { type, ...rest }, at }) as never;
    progress.take(signal('model.done', 'executing', 1, { calls }), 2);
    return progress.take(signal('run.resumed', 'executing', 3), 2);
  };
  const call = (callId: number, sideEffect: string) => ({ callId, gate: 'run', class: sideEffect });
  expect(take([call(2, 'unsafe')])).toEqual({ notes: [], doing: null });
  expect(take([call(2, 'unsafe'), call(3, 'readonly')])).toEqual({
    notes: ['using call c3'],
    doing: 'using call c3',
  });
});

import { describe, expect, it } from 'vitest';
import { stateLines } from '../../../../src/cli/commands/cron/words.ts';
import type { JobView } from '../../../../src/schedule/views.ts';

const finished = (source: string) =>
  ({ jobId: 'soon', state: 'finished', why: 'it has no other time', current: null, source }) as JobView;

describe('a job without a time to come', () => {
  it('reads as done, with how it gets another time', () => {
    expect(stateLines(finished('user'))).toEqual([
      'done: it has no other time',
      'give it another time with: detent cron update soon --at TIME',
    ]);
  });

  it('is given one in the configuration if it is declared there', () => {
    expect(stateLines(finished('config'))[1]).toBe('give it another time in the configuration');
  });
});

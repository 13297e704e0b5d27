import { describe, expect, it } from 'vitest';
import { jobText } from '../../../../src/cli/commands/cron/list.ts';
import { stateLines } from '../../../../src/cli/commands/cron/words.ts';
import type { JobView } from '../../../../src/protocol/views.ts';

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

describe('the list', () => {
  const last = { n: 3, slot: 0, status: 'ok', error: null, at: 0, lost: 0 };
  const job = { ...finished('user'), words: 'once', next: [], last, failures: 0, queued: 0, undelivered: 0 };
  const lines = (lost: number) => JSON.stringify(jobText({ ...job, last: { ...last, lost } } as JobView, 0));

  it('says that results of the last run did not arrive, though the run ended well', () => {
    expect(lines(2)).toContain('of the results of #3 2 did not arrive; see: detent cron history soon');
    expect(lines(0)).not.toContain('did not arrive');
  });
});

import { describe, expect, it } from 'vitest';
import { takenIn } from '../../../../src/cli/commands/cron/add.ts';
import { jobText } from '../../../../src/cli/commands/cron/list.ts';
import { stateLines } from '../../../../src/cli/commands/cron/words.ts';
import type { Ask } from '../../../../src/cli/port/port.ts';
import type { JobView } from '../../../../src/protocol/views.ts';

const finished = (source: string) =>
  ({ jobId: 'soon', state: 'finished', why: 'it has no other time', current: null, source }) as JobView;

describe('a job without a time to come', () => {
  it('reads as done, with how it gets another time', () => {
    expect(stateLines(finished('user'))).toEqual([
      'done: it has no further time',
      'give it another time with: detent cron update soon --at TIME',
    ]);
  });

  it('is given one in the configuration if it is declared there', () => {
    expect(stateLines(finished('config'))[1]).toBe('give it another time in the configuration');
  });
});

describe('a hint', () => {
  it('has the id of a job as the shell takes it', () => {
    const job = { ...finished('user'), jobId: "Ann's job" } as JobView;
    expect(stateLines(job)[1]).toContain(`detent cron update 'Ann'\\''s job' --at TIME`);
  });
});

describe('a new job', () => {
  const others = (...attended: boolean[]) =>
    attended.map((isAttended, i) => ({ jobId: `j${i}`, isAttended }));
  const askOf = (jobs: object[]) => {
    const asked: string[] = [];
    const ask = async (method: string) => {
      asked.push(method);
      return method === 'cron.list' ? { jobs } : { isAttended: true };
    };
    return { asked, ask: ask as unknown as Ask };
  };
  const made = { jobId: 'new', isAttended: false } as JobView;

  it.each([[[true, false]], [[false]]])(
    'is waited for only where no other job says whether the schedule runs: %j',
    async (attended) => {
      const { ask, asked } = askOf([made, ...others(...attended)]);
      expect((await takenIn(ask, made)).isAttended).toBe(attended.includes(true));
      expect(asked).toEqual(['cron.list']);
    },
  );

  it('is waited for where it is the first', async () => {
    const { ask, asked } = askOf([made]);
    expect((await takenIn(ask, made)).isAttended).toBe(true);
    expect(asked).toEqual(['cron.list', 'cron.get']);
  });
});

describe('the list', () => {
  const last = { n: 3, slot: 0, status: 'ok', error: null, at: 0, lost: 0 };
  const job = {
    ...finished('user'),
    words: 'once',
    next: [],
    last,
    failures: 0,
    queued: 0,
    undelivered: 0,
    lost: 0,
  };
  const lines = (lost: number, all = lost) =>
    JSON.stringify(jobText({ ...job, last: { ...last, lost }, lost: all } as JobView, 0));

  it('says that results of the last run did not arrive, though the run ended well', () => {
    expect(lines(2)).toContain('2 of the results of #3 did not arrive; see: detent cron history soon');
    expect(lines(0)).not.toContain('did not arrive');
    expect(lines(0, 3)).toContain(
      '3 of the results of earlier slots did not arrive; see: detent cron history soon',
    );
  });
});

import { describe, expect, it } from 'vitest';
import { jobOfSession } from '../../src/protocol/access.ts';
import { ownSlotSession } from '../../src/store/stored-run.ts';

describe('the job of a session', () => {
  it.each(['daily', 'ada:daily', 'a\nb'])(
    'is known of the own session of a slot, and of a shared one: %j',
    (job) => {
      expect(jobOfSession(ownSlotSession(job, 'run_ab12f3'))).toBe(job);
      expect(jobOfSession(`cron:${job}`)).toBe(job);
    },
  );

  it.each(['main', 'task:run_1.c2', 'ada:cron:daily'])('does not exist for %j', (key) => {
    expect(jobOfSession(key)).toBeNull();
  });
});

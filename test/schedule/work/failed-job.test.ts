import { expect, it } from 'vitest';
import { readJob } from '../../../src/schedule/jobs/definition.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { coreWith } from '../../support/detent.ts';

it('a job whose statechart threw again and again can be removed and made anew', async () => {
  const { engine, jobs } = await coreWith(scriptedModel([]));
  const written = { jobId: 'daily', every: '1h', prompt: 'Go.' };
  const { definition } = readJob(written, { timeZone: 'UTC', now: 0 });
  const job = { tenant: 1, id: 'daily', user: null, source: 'user', definition, halt: null, from: 0 };
  await jobs.create(job);
  const { row } = await jobs.get(1, 'daily');
  // What the engine sends after three throws.
  await engine.send(1, row.runId, { event: { type: 'job.faulted', code: 'MACHINE_FAULT', message: 'x' } });
  expect((await jobs.get(1, 'daily')).path).toBe('failed');
  expect(await jobs.command(1, 'daily', { type: 'job.run' })).toBe(false);
  expect(await jobs.command(1, 'daily', { type: 'job.remove' })).toBe(true);
  expect(await jobs.find(1, 'daily')).toBeNull();
  await jobs.create(job);
  expect((await jobs.get(1, 'daily')).path).toBe('due');
});

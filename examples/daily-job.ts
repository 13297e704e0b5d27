/**
 * A job at set times, in a program: it is run once now, and its result goes to the console.
 *
 *     node examples/daily-job.ts
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDetent } from 'detent';
import { createScheduler } from 'detent/schedule';

const workspace = mkdtempSync(join(tmpdir(), 'detent-daily-'));
const detent = createDetent({ workspace, model: 'demo/demo' });

const delivered = Promise.withResolvers<void>();
const scheduler = createScheduler(detent, {
  timeZone: 'Europe/Berlin',
  tell(happening) {
    console.log(`${happening.jobId}: ${happening.type}`);
    if (happening.type === 'delivered') delivered.resolve();
  },
});

const job = await scheduler.add({
  jobId: 'sum',
  cron: '0 9 * * 1-5',
  prompt: 'What is 17 * 23?',
  delivery: 'console',
});
console.log(`${job.jobId}: ${job.words}`);

// Any number of processes may start the schedule: each slot runs in one of them.
await scheduler.start();
await scheduler.run('sum');
await delivered.promise;

for (const { n, status, runId } of await scheduler.history('sum'))
  console.log(`slot ${n}: ${status}, ${runId}`);

await scheduler.close();
await detent.close();
rmSync(workspace, { recursive: true });

import { describe, expect, it } from 'vitest';
import { ask } from '../../src/runs/rows/statements.ts';
import { jobsOf } from '../../src/schedule/door.ts';
import type { Scheduler } from '../../src/schedule/index.ts';
import { openInMemory } from '../../src/store/sql/in-memory.ts';
import type { SummaryBody } from '../../src/store/stored-message.ts';
import { itDeep } from '../support/deep.ts';
import { temporaryWorkspace } from '../support/detent.ts';
import { inSizes } from '../support/size.ts';
import { advanceBySlots, hour, minute, parrot, rowCounts, scheduled } from './support.ts';

const tenMinutes = 10 * minute;
const { jobs, slots, keep } = inSizes({
  usual: { jobs: 2, slots: 15, keep: 5 },
  deep: { jobs: 3, slots: 60, keep: 20 },
  full: { jobs: 10, slots: 300, keep: 20 },
});

const shared = { jobId: 'daily', session: 'cron:daily' };
const often = { every: '10m', prompt: 'Go.', overlap: 'queue' };

const numbers = async (scheduler: Scheduler, jobId = 'daily') =>
  (await scheduler.history(jobId, { limit: 1_000 })).map(({ n }) => n);

describe('a job that keeps its last slots', () => {
  it('bounds the rows of every table but the ledger', async () => {
    const workspace = await temporaryWorkspace();
    const { scheduler, clock, detent } = scheduled({ workspace });
    for (let i = 0; i < jobs; i++)
      await scheduler.add({ ...often, jobId: `j${i}`, keep, delivery: 'console' });
    await scheduler.start();
    await advanceBySlots({ clock, scheduler }, slots * tenMinutes);
    await (await jobsOf(detent)).look();
    const rows = rowCounts(workspace);
    // A tenth more than asked for may wait to be deleted.
    const kept = jobs * (keep + keep / 10);
    expect(rows.usage).toBe(jobs * slots);
    expect(rows.job_fires).toBeGreaterThanOrEqual(jobs * keep);
    for (const table of ['job_fires', 'deliveries']) expect(rows[table], table).toBeLessThanOrEqual(kept);
    // Each job has a run of its own, and one that it left within the last hour.
    expect(rows.runs).toBeLessThanOrEqual(kept + 2 * jobs);
    expect(rows.messages).toBeLessThanOrEqual(2 * kept);
    // A run of a job is about 100 slots, with up to ten events and four effects each.
    expect(rows.run_events).toBeLessThanOrEqual(kept * 10 + 2 * jobs * 100 * 10);
    expect(rows.effects).toBeLessThanOrEqual(kept * 3 + 2 * jobs * 100 * 4);
    // Each slot that is kept has a session of its own.
    expect(rows.sessions).toBeLessThanOrEqual(kept + jobs);
    for (const table of ['timers', 'commands', 'budget_holds', 'artifacts'])
      expect(rows[table], table).toBeLessThanOrEqual(jobs);
  });

  it('keeps the last slot that ended well, whose result a prompt may have', async () => {
    let asked = 0;
    const prompts: string[] = [];
    const model = parrot(({ messages }) => {
      prompts.push(JSON.stringify(messages.at(-1)));
      return asked++ === 0 ? { text: 'All green.' } : { error: { message: 'no', kind: 'bad_request' } };
    });
    const { scheduler, clock } = scheduled({ model });
    await scheduler.add({
      jobId: 'daily',
      every: '10m',
      prompt: 'Before: {{last}}',
      keep: 2,
      pauseAfter: null,
    });
    await scheduler.start();
    await clock.advance(8 * tenMinutes);
    expect(await numbers(scheduler)).toEqual([8, 7, 1]);
    expect(prompts.at(-1)).toContain('Before: All green.');
  });

  itDeep('catches up when less is to be kept', async () => {
    const { scheduler, clock } = scheduled();
    await scheduler.add({ jobId: 'daily', every: '10m', prompt: 'Go.' });
    await scheduler.start();
    await clock.advance(40 * tenMinutes);
    expect(await numbers(scheduler)).toHaveLength(40);
    await scheduler.update('daily', { keep: 3 });
    await clock.advance(minute);
    expect(await numbers(scheduler)).toEqual([40, 39, 38]);
  });

  it('keeps slots whose deliveries are still tried', async () => {
    const { scheduler, clock } = scheduled();
    const delivery = { kind: 'webhook', url: 'https://nobody.invalid/' } as const;
    await scheduler.add({ jobId: 'daily', every: '10m', prompt: 'Go.', keep: 2, delivery, attempts: 3 });
    await scheduler.start();
    await clock.advance(6 * tenMinutes);
    const history = await scheduler.history('daily', { limit: 100 });
    const pending = history.filter(({ deliveries }) => deliveries.some(({ status }) => status === 'pending'));
    expect(pending.length).toBe(Math.max(0, history.length - 2) + pending.filter(({ n }) => n > 4).length);
    for (const { n } of history) expect(n > 3 || pending.some((slot) => slot.n === n)).toBe(true);
  });

  it('keeps the run whose summary begins the prompts to come', async () => {
    const store = openInMemory();
    const { scheduler, clock, detent } = scheduled({ store });
    await scheduler.add({ ...shared, every: '10m', prompt: 'Go.', keep: 2 });
    await scheduler.start();
    await clock.advance(2 * tenMinutes);
    const session = await store.query('findSession', { tenant: 1, key: 'cron:daily' });
    const [run] = await store.query('listRunsOf', { session: session?.pk ?? 0, limit: 1 });
    if (!session || !run) throw new Error('the slot has no run');
    const place = { session: session.pk, run: run.pk, seq: run.seq };
    const body: SummaryBody = {
      text: 'So far: fine.',
      effectId: 1,
      head: { run: run.pk, seq: run.seq },
      usage: null,
      costUsd: null,
    };
    await store.commit(function* () {
      yield* ask('insertMessage', {
        ...place,
        tenant: 1,
        i: 9,
        role: 'summary',
        body: JSON.stringify(body),
        at: 1,
      });
      yield* ask('moveSessionHead', place);
    });
    await clock.advance(5 * tenMinutes);
    expect(await numbers(scheduler)).toEqual([7, 6, 2]);
    const { conversation } = await detent.sessions.show('cron:daily');
    expect(conversation[0]).toMatchObject({ role: 'user', runId: run.id });
    // A newer one takes its place.
    const [newest] = await store.query('listRunsOf', { session: session.pk, limit: 1 });
    const newer = { ...place, run: newest?.pk ?? 0, seq: newest?.seq ?? 0 };
    await store.commit(() =>
      ask('insertMessage', { ...newer, tenant: 1, i: 9, role: 'summary', body: JSON.stringify(body), at: 1 }),
    );
    await clock.advance(tenMinutes);
    expect(await numbers(scheduler)).toEqual([8, 7]);
  });

  it('has the search forget what was said in slots that are gone, and find the others', async () => {
    const words = ['alder', 'birch', 'cedar', 'dogwood', 'elm', 'fir'];
    let said = 0;
    const model = parrot(() => ({ text: `I saw a ${words[said++]}.` }));
    const { scheduler, clock, detent } = scheduled({ model, workspace: await temporaryWorkspace() });
    const finds = async (word: string) => (await detent.sessions.search(word)).results.length > 0;
    await scheduler.add({ jobId: 'daily', every: '10m', prompt: 'Walk.', keep: 2 });
    await scheduler.start();
    await clock.advance(2 * tenMinutes);
    expect(await finds('alder')).toBe(true);
    await clock.advance(2 * tenMinutes);
    const found = await Promise.all(words.slice(0, 4).map(finds));
    expect(found).toEqual([false, false, true, true]);
  });

  it('leaves the ledger without the name of the session, and other conversations as they are', async () => {
    const store = openInMemory();
    const { scheduler, clock, detent } = scheduled({ store });
    await detent.run('Hello.', { sessionId: 'mine' }).result;
    await detent.run('Are you there?', { sessionId: 'cron:daily' }).result;
    await scheduler.add({ ...shared, every: '10m', prompt: 'Go.', keep: 1 });
    await scheduler.start();
    await clock.advance(3 * tenMinutes);
    const sum = {
      tenant: 1,
      from: 0,
      to: Number.MAX_SAFE_INTEGER,
      sessionKey: null,
      user: null,
      runId: null,
      reach: null,
    };
    const bySession = await store.query('sumUsage', { ...sum, by: 'session', limit: 9 });
    expect(Object.fromEntries(bySession.map(({ key, calls }) => [key, calls]))).toEqual({
      '': 2,
      mine: 1,
      // That of a person is no slot.
      'cron:daily': 2,
    });
  });
});

describe('a job that was removed', () => {
  it('leaves the conversation, and no run of its own after an hour', async () => {
    const store = openInMemory();
    const { scheduler, clock, detent } = scheduled({ store });
    await scheduler.add({ ...shared, every: '10m', prompt: 'Go.', keep: 1 });
    await scheduler.add({ jobId: 'other', every: '10m', prompt: 'Go.', keep: 1 });
    await scheduler.start();
    await clock.advance(tenMinutes);
    const { jobRunId } = await scheduler.get('daily');
    await scheduler.remove('daily');
    await (await jobsOf(detent)).look();
    expect(await store.query('loadRun', { tenant: 1, id: jobRunId })).toMatchObject({ ended: 1 });
    await clock.advance(hour + minute);
    await (await jobsOf(detent)).look();
    expect(await store.query('loadRun', { tenant: 1, id: jobRunId })).toBeUndefined();
    expect(await store.query('findSession', { tenant: 1, key: '\u0001job:daily' })).toBeUndefined();
    expect((await detent.sessions.show('cron:daily')).messages).toBe(2);
    expect((await scheduler.get('other')).state).toBe('scheduled');
  });
});

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { jobsOf } from '../../../src/schedule/door.ts';
import { createScheduler } from '../../../src/schedule/scheduler.ts';
import { fakeClock } from '../../../src/testing/index.ts';
import { scripted, temporaryWorkspace, tool } from '../../support/detent.ts';
import { orderWorkflow } from '../../support/order-workflow.ts';
import { answering, byHand, delivered, receiver, scheduling, slot, slotWhere } from './support.ts';

const minute = 60_000;
/** Instead of the store in memory that tests have. */
const onDisk = { store: undefined };

describe('a delivery to the console', () => {
  it('prints what the result is of, and its text', async () => {
    const { scheduler, printed } = await scheduling([{ text: 'All is well.' }]);
    await scheduler.add({ ...byHand, jobId: 'daily', delivery: 'console' });
    await scheduler.start();
    await scheduler.run('daily');
    await delivered(scheduler, 'daily');
    expect(printed).toEqual(['job daily, 2026-01-31T09:00:00Z: ok\nAll is well.']);
  });

  it('shows what would act on a terminal', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    onTestFinished(() => log.mockRestore());
    const { scheduler } = await scheduling(
      [{ text: '\u001b]0;owned\u0007 \u202e right' }],
      {},
      { print: undefined },
    );
    await scheduler.add({ ...byHand, jobId: 'daily', delivery: 'console' });
    await scheduler.start();
    await scheduler.run('daily');
    await delivered(scheduler, 'daily');
    expect(log.mock.calls[0]?.[0]).toContain(String.raw`\u001b]0;owned\u0007 \u202e right`);
  });
});

describe('a webhook of a job', () => {
  it('gets another id for another slot of the same number, after a backup was restored', async () => {
    const { received, url } = await receiver(answering(200));
    const workspace = await temporaryWorkspace();
    const backup = join(workspace, 'backup.db');
    const life = async (at: number) => {
      const clock = fakeClock(at);
      const { detent } = await scripted([{ text: 'Well.' }], { clock, workspace, ...onDisk });
      const scheduler = createScheduler(detent, { now: clock.now, webhooks: { allowHosts: ['127.0.0.1'] } });
      if (!existsSync(backup)) {
        await scheduler.add({ ...byHand, jobId: 'daily', delivery: url });
        await detent.backup(backup);
      }
      await scheduler.start();
      await scheduler.run('daily');
      await delivered(scheduler, 'daily');
      await scheduler.close();
      await detent.close();
    };
    await life(slot);
    for (const rest of ['', '-wal', '-shm'])
      await rm(join(workspace, `.detent/detent.db${rest}`), { force: true });
    await copyFile(backup, join(workspace, '.detent/detent.db'));
    await life(slot + minute);
    const ids = received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(2);
  });

  it('that answers 500 and then 200 gets the same message twice, and the run is done all the while', async () => {
    const { received, url } = await receiver((response, nth) => answering(nth === 1 ? 500 : 200)(response));
    const { scheduler, clock } = await scheduling([{ text: 'All is well.' }]);
    await scheduler.add({ ...byHand, jobId: 'daily', delivery: url });
    await scheduler.start();
    await scheduler.run('daily');
    const waiting = await slotWhere(scheduler, 'daily', ({ deliveries }) => deliveries[0]?.attempts === 1);
    expect(waiting).toMatchObject({
      status: 'ok',
      deliveries: [{ status: 'pending', dueAt: slot + 5_000, error: { code: 'WEBHOOK_FAILED' } }],
    });
    await clock.advance(5_000);
    const { status, deliveries } = await delivered(scheduler, 'daily');
    expect([status, deliveries[0]]).toMatchObject(['ok', { status: 'delivered', attempts: 2, error: null }]);
    const [first, second] = received;
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.body).toBe(first?.body);
  });

  it('is waited for as long as it asks for', async () => {
    const { received, url } = await receiver((response, nth) =>
      nth === 1 ? answering(429, { 'retry-after': '7200' })(response) : answering(200)(response),
    );
    const { scheduler, clock } = await scheduling([{ text: 'x' }]);
    await scheduler.add({ ...byHand, jobId: 'daily', delivery: url });
    await scheduler.start();
    await scheduler.run('daily');
    const { deliveries } = await slotWhere(
      scheduler,
      'daily',
      ({ deliveries }) => deliveries[0]?.attempts === 1,
    );
    expect(deliveries[0]?.dueAt).toBe(slot + 120 * minute);
    await clock.advance(119 * minute);
    expect(received).toHaveLength(1);
    await clock.advance(minute);
    await delivered(scheduler, 'daily');
    expect(received).toHaveLength(2);
  });

  it('that stays down is given up after eight attempts in more than a day, and tried again by hand', async () => {
    let isUp = false;
    const { received, url } = await receiver((response) => answering(isUp ? 200 : 502)(response));
    const { scheduler, clock } = await scheduling([{ text: 'x' }]);
    await scheduler.add({ ...byHand, jobId: 'daily', delivery: [url, 'console'] });
    await scheduler.start();
    await scheduler.run('daily');
    for (let attempt = 1; attempt < 8; attempt++) {
      const { deliveries } = await slotWhere(
        scheduler,
        'daily',
        ({ deliveries }) => deliveries[0]?.attempts === attempt && deliveries[0].dueAt !== null,
      );
      await clock.advance((deliveries[0]?.dueAt ?? 0) - clock.now());
    }
    const dead = await delivered(scheduler, 'daily');
    expect(dead).toMatchObject({
      status: 'ok',
      deliveries: [
        { status: 'dead', attempts: 8, error: { code: 'WEBHOOK_FAILED' }, dueAt: null },
        { status: 'delivered', attempts: 1 },
      ],
    });
    expect(clock.now() - slot).toBeGreaterThan(24 * 60 * minute);

    isUp = true;
    expect(await scheduler.redeliver('daily', dead.n)).toBe(1);
    const { deliveries } = await delivered(scheduler, 'daily');
    expect(deliveries[0]).toMatchObject({ status: 'delivered', attempts: 1, error: null });
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toHaveLength(1);
    expect(await scheduler.redeliver('daily', dead.n)).toBe(0);
    await expect(scheduler.redeliver('daily', 99)).rejects.toMatchObject({ code: 'NO_SLOT' });
  });

  it('at an address that is not public is given up at once', async () => {
    const { received, url } = await receiver(answering(200));
    const { scheduler, detent } = await scheduling([{ text: 'x' }], {}, { webhooks: {} });
    // Made where it was allowed.
    const maker = createScheduler(detent, { webhooks: { allowHosts: ['127.0.0.1'] } });
    await maker.add({ ...byHand, jobId: 'daily', delivery: url });
    await scheduler.start();
    await scheduler.run('daily');
    const { status, deliveries } = await delivered(scheduler, 'daily');
    expect([status, deliveries[0]]).toMatchObject([
      'ok',
      { status: 'dead', attempts: 1, error: { code: 'EGRESS_BLOCKED' } },
    ]);
    expect(received).toEqual([]);
    expect(deliveries[0]?.error?.message).toContain('"webhooks.allowHosts" of the configuration allows');
  });

  it('at an address that the configuration allows arrives', async () => {
    const { received, url } = await receiver(answering(200));
    const config = { webhooks: { allowHosts: ['127.0.0.0/8'] } };
    const { scheduler } = await scheduling([{ text: 'x' }], config, { webhooks: {} });
    await scheduler.add({ ...byHand, jobId: 'daily', delivery: url });
    await scheduler.start();
    await scheduler.run('daily');
    expect((await delivered(scheduler, 'daily')).deliveries[0]?.status).toBe('delivered');
    expect(received).toHaveLength(1);
  });

  it('has its allowed hosts checked', async () => {
    const webhooks = { allowHosts: ['https://x.example/'] };
    await expect(scheduling([], {}, { webhooks })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      details: { field: 'webhooks.allowHosts' },
    });
  });

  it('keeps its secret to itself', async () => {
    const key = randomBytes(32).toString('base64');
    const env = { HOOK_KEY: `whsec_${key}` };
    const { url } = await receiver((response) => answering(500, {}, `whsec_${key} is wrong`)(response));
    const { scheduler, detent } = await scheduling([{ text: 'x' }], { env });
    const target = { kind: 'webhook', url, secretEnv: 'HOOK_KEY' } as const;
    await scheduler.add({ ...byHand, jobId: 'daily', attempts: 1, delivery: target });
    await scheduler.start();
    await scheduler.run('daily');
    const fire = await delivered(scheduler, 'daily');
    expect(fire.deliveries[0]?.error?.message).toContain('[redacted] is wrong');
    const job = await (await jobsOf(detent)).get(1, 'daily');
    const rows = await (await jobsOf(detent)).deliveries(1, 'daily', fire.n);
    expect(JSON.stringify([job, rows])).not.toContain(key.slice(0, 20));
  });

  it('has no secrets in its text', async () => {
    const { received, url } = await receiver(answering(200));
    const env = { SHOP_TOKEN: 'correct-horse-battery' };
    const { scheduler } = await scheduling([{ text: 'It is correct-horse-battery.' }], { env });
    await scheduler.add({ ...byHand, jobId: 'daily', delivery: url });
    await scheduler.start();
    await scheduler.run('daily');
    await delivered(scheduler, 'daily');
    expect(JSON.parse(received[0]?.body ?? '').data.text).toBe('It is [redacted:SHOP_TOKEN].');
  });

  it('counts failures as they were when the run ended, however late it arrives', async () => {
    const { received, url } = await receiver((response, nth) => answering(nth === 1 ? 500 : 200)(response));
    const broken = { error: { code: 'BAD_REQUEST', message: 'no', retryable: false } };
    const { scheduler, clock } = await scheduling([broken, { text: 'x' }]);
    await scheduler.add({ ...byHand, jobId: 'daily', alert: url, alertAfter: 1 });
    await scheduler.start();
    await scheduler.run('daily');
    await slotWhere(scheduler, 'daily', ({ deliveries }) => deliveries[0]?.attempts === 1);
    await scheduler.run('daily');
    await slotWhere(scheduler, 'daily', ({ n, status }) => n === 2 && status === 'ok');
    await clock.advance(5_000);
    await vi.waitFor(() => expect(received).toHaveLength(2), { timeout: 60_000 });
    expect(received.map(({ body }) => JSON.parse(body))).toMatchObject([
      { type: 'job.alert', data: { failures: 1, status: 'failed' } },
      { type: 'job.alert', data: { failures: 1, status: 'failed' } },
    ]);
  });
});

describe('an alert of a job', () => {
  it('tells once that its run waits for a person', async () => {
    const buy = { toolCalls: [{ name: 'buy', arguments: {} }] };
    const tools = { define: [tool('buy', { sideEffect: 'unsafe' })] };
    const { scheduler, detent, printed } = await scheduling([buy, buy, { text: 'Bought.' }], { tools });
    await scheduler.add({ ...byHand, jobId: 'daily', alert: 'console' });
    await scheduler.start();
    await scheduler.run('daily');
    await vi.waitFor(() => expect(printed).toHaveLength(1), { timeout: 60_000 });
    const [run] = await detent.runs.list({ status: ['waiting'] });
    const runId = run?.runId ?? '';
    expect(printed[0]).toBe(
      `job daily waits for a person in its run of 2026-01-31T09:00:00Z\nrun ${runId} waits for a person: c2 buy; see it with "detent runs show ${runId}"`,
    );
    await detent.runs.confirm(runId, 'c2', { verdict: 'approve' });
    await vi.waitFor(
      async () => expect((await detent.runs.show(runId)).pending).toMatchObject([{ callId: 'c4' }]),
      { timeout: 60_000 },
    );
    await detent.runs.confirm(runId, 'c4', { verdict: 'approve' });
    await slotWhere(scheduler, 'daily', ({ status }) => status === 'ok');
    expect(printed).toHaveLength(1);
  });

  it('tells that the question of its workflow waits', async () => {
    const { scheduler, printed } = await scheduling([], { workflows: [orderWorkflow] });
    const { prompt: _, ...when } = byHand;
    await scheduler.add({
      ...when,
      jobId: 'daily',
      workflow: 'order',
      input: { order: 'o1' },
      alert: 'console',
    });
    await scheduler.start();
    await scheduler.run('daily');
    await vi.waitFor(() => expect(printed).toHaveLength(1), { timeout: 60_000 });
    expect(printed[0]).toContain('waits for a person');
  });

  it.each([
    [2, ['is paused: it has failed 2 times in a row']],
    [1, ['is paused: it has failed,']],
    [3, ['is paused: it has failed 3 times in a row']],
  ])('tells of the pause after %i failures, once', async (pauseAfter, heads) => {
    const broken = { error: { code: 'BAD_REQUEST', message: 'no', retryable: false } };
    const { scheduler, printed } = await scheduling([broken, broken, broken]);
    await scheduler.add({ ...byHand, jobId: 'daily', alert: 'console', alertAfter: 3, pauseAfter });
    await scheduler.start();
    for (let n = 1; n <= pauseAfter; n++) {
      await scheduler.run('daily');
      await slotWhere(scheduler, 'daily', (fire) => fire.n === n && fire.status === 'failed');
    }
    await vi.waitFor(() => expect(printed).toHaveLength(heads.length), { timeout: 60_000 });
    expect(printed).toEqual(heads.map((head) => expect.stringContaining(`job daily ${head}`)));
    expect((await scheduler.list())[0]?.state).toBe('paused');
  });

  it('tells of the pause where results go when the job has no alert', async () => {
    const broken = { error: { code: 'BAD_REQUEST', message: 'no', retryable: false } };
    const { scheduler, printed } = await scheduling([broken]);
    await scheduler.add({ ...byHand, jobId: 'daily', delivery: ['console', 'file:x.md'], pauseAfter: 1 });
    await scheduler.start();
    await scheduler.run('daily');
    await vi.waitFor(() => expect(printed).toHaveLength(2), { timeout: 60_000 });
    expect(printed).toEqual(
      expect.arrayContaining([
        expect.stringContaining('job daily, 2026-01-31T09:00:00Z: failed'),
        expect.stringContaining('job daily is paused: it has failed, last at'),
      ]),
    );
  });
});

it('a delivery that its process breaks off is made by the next one, under the same id', async () => {
  const workspace = await temporaryWorkspace();
  const options = { ...onDisk, workspace };
  const { received, url } = await receiver((response, nth) => {
    if (nth > 1) answering(200)(response);
  });
  const own = { webhooks: { allowHosts: ['127.0.0.1'] }, timeZone: 'UTC' };
  const first = await scripted([{ text: 'x' }], options);
  const one = createScheduler(first.detent, own);
  await one.add({ ...byHand, jobId: 'daily', delivery: url });
  await one.start();
  await one.run('daily');
  await vi.waitFor(() => expect(received).toHaveLength(1), { timeout: 60_000 });
  await one.close();
  await first.detent.close();

  const second = await scripted([], options);
  const two = createScheduler(second.detent, own);
  await two.start();
  expect((await delivered(two, 'daily')).deliveries).toMatchObject([{ status: 'delivered' }]);
  expect(received).toHaveLength(2);
  expect(received[1]?.headers['webhook-id']).toBe(received[0]?.headers['webhook-id']);
  await two.close();
});

it('a delivery is tried again while its job stands still, by a program that runs no schedule itself', async () => {
  const workspace = await temporaryWorkspace();
  let isUp = false;
  const { received, url } = await receiver((response) => answering(isUp ? 200 : 410)(response));
  const own = { webhooks: { allowHosts: ['127.0.0.1'] }, timeZone: 'UTC' };
  const serving = await scripted([{ text: 'x' }], { ...onDisk, workspace });
  const schedule = createScheduler(serving.detent, own);
  await schedule.add({ ...byHand, jobId: 'daily', delivery: url });
  await schedule.start();
  await schedule.run('daily');
  expect((await delivered(schedule, 'daily')).deliveries).toMatchObject([
    { status: 'dead', attempts: 1, error: { code: 'WEBHOOK_GONE' } },
  ]);
  await schedule.disable('daily');

  isUp = true;
  const other = await scripted([], { ...onDisk, workspace });
  expect(await createScheduler(other.detent, own).redeliver('daily', 1)).toBe(1);
  expect((await delivered(schedule, 'daily')).deliveries).toMatchObject([{ status: 'delivered' }]);
  expect(received).toHaveLength(2);
  expect((await schedule.get('daily')).state).toBe('disabled');
  await schedule.close();
});

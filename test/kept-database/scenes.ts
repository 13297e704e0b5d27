import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { createScheduler } from '../../src/schedule/index.ts';
import { png } from '../support/pictures.ts';
import type { Life } from './life.ts';

/** The processes that make the kept database, each of which dies with what it has under way. */
export const generations = { first, second, third };

export type Generation = keyof typeof generations;

/** What a process begins last: it stops after the commit with which a statement finds something. */
export interface LastStep {
  until: string;
  begin(): void;
}

/** Nobody listens there when the database is continued. */
export const deafPort = 48_909;

/** Runs that have ended, and those that this process leaves in the midst of a call. */
async function first(life: Life): Promise<null> {
  const { detent, made } = life;
  await ended(life);
  await life.run('an unsafe call that was cut off', 'call pay+; say paid', 'executing');
  await life.run('a probe that was cut off', 'call store; say stored', 'executing');
  await life.run('an idempotent call made again', 'call note+; say noted', 'executing');
  await life.run('a model asked again', 'hold', 'requesting');
  for (const state of ['breaking', 'looking', 'stepping']) await life.flow('kept-services', { state }, state);
  await life.flow('kept-regions', { state: 'risking' }, 'risking');
  const everyMinute = { cron: '0 * 0-2 1 6 ? 2026', dialect: 'quartz', timeZone: 'UTC', misfire: 'skip' };
  for (const jobId of ['folded', 'idle'])
    await createScheduler(detent).add({ jobId, prompt: 'say slot', ...everyMinute });
  made.told.token = (await detent.tokens.create({ scopes: ['read'], name: 'kept' })).token;
  await detent.tokens.createLogin();
  await detent.tokens.countFailure('kept', 20);
  await detent.requests.once({ key: 'answered', name: 'kept' }, async () => ({ said: 'yes' }));
  void detent.requests.once({ key: 'open', name: 'kept', isRepeatable: true }, () => pause(3_600_000));
  void detent.requests.once({ key: 'lost', name: 'kept' }, () => pause(3_600_000));
  await life.until('three keys', 'select count(*) from request_keys having count(*) = 3');
  return null;
}

async function ended(life: Life): Promise<void> {
  const { detent } = life;
  const done = await life.run('done', 'call note look; say done', null, { metadata: { ticket: 'A-17' } });
  await life.run('failed', 'refuse', null, { model: 'test/model' });
  const cancelled = await life.run('cancelled', 'call pay+', 'executing');
  await detent.runs.cancel(cancelled, 'not wanted');
  await detent.runs.attach(cancelled).result;
  await life.run('an artifact', 'call fill; say filled', null);
  await life.run('tainted', 'call hear; call write_file; say written', null, { approve: 'all' });
  await life.run('an image', 'say seen', null, { attachments: [{ data: png('given'), name: 'given.png' }] });
  await life.run('paid by a budget', 'call note; say paid', null, { budget: 'team' });
  await life.run('with a key', 'say keyed', null, { idempotencyKey: 'the key' });
  life.made.told.upload = (await detent.attachments.put(png('uploaded'), { name: 'uploaded.png' })).id;
  await life.run('deleted', 'say gone', null);
  // It takes the cached answers with it.
  await detent.sessions.delete('deleted');
  await life.run('whose answer is cached', 'say the same', null, { tools: [] });
  await life.run('compacted', 'say a; say b', null);
  await life.run('compacted again', 'say more', null, { sessionId: 'compacted' });
  await detent.sessions.compact('compacted');
  const imported = await detent.sessions.import(
    (await Array.fromAsync(detent.sessions.export('done'))).join('\n'),
    {
      sessionId: 'imported',
    },
  );
  life.note(imported.runId, 'imported');
  const fork = await detent.runs.fork(done, { at: 2, sessionId: 'forked' });
  life.note(fork.runId, 'a fork of an ended run');
  await life.flow('kept-times', { state: 'ended' }, null);
  await life.flow('kept-services', { state: 'broken' }, null);
}

/** What waits, and what is at work. */
async function second(life: Life, planning: { begin(): void }): Promise<LastStep> {
  const { detent } = life;
  await detent.runs.resume();
  await life.until(
    'two calls cut off',
    "select count(*) from runs where state like '%reconciling%' having count(*) = 2",
  );
  await atWork(life);
  await waiting(life);
  await compacting(life);
  await flows(life);
  await otherTenant(life);
  await users(life);
  await jobs(life);
  return {
    until: `select 1 from runs where machine = 'job' and state = '"idle"'`,
    begin: () => planning.begin(),
  };
}

async function atWork(life: Life): Promise<void> {
  const { detent } = life;
  await life.run('thinking', 'hold', 'requesting');
  const behind = detent.run('say behind', { sessionId: 'thinking' });
  life.note(await behind.started, 'queued behind another run');
  await life.run('thinking about an output', 'output', null, { output: z.object({ ok: z.boolean() }) });
  await life.run('thinking about an output to be', 'outputs', 'requesting', {
    output: z.object({ ok: z.boolean() }),
  });
  await life.run('thinking for a budget', 'hold; say paid', 'requesting', { budget: 'team' });
  await life.run('on its second model', 'switch', 'requesting');
  await life.run('told by another process', 'listen', 'requesting');
  const steered = await life.run('steered', 'hold; say never', 'requesting');
  await detent.runs.steer(steered, 'say steered');
  await life.run('backing off', 'late', 'backingOff', { model: 'test/model' });
  await life.run('calls side by side', 'call look* look*', 'executing');
  await life.run('a task at work', 'call task+; say it was done', 'executing');
  await life.run('a call behind another', 'call pay+ pay; say paid twice', 'executing');
  const done = Object.entries(life.made.labels).find(([, label]) => label === 'thinking')?.[0] as string;
  const fork = await detent.runs.fork(done, { at: 0, sessionId: 'forked-from-work' });
  life.note(fork.runId, 'a fork that nobody has started');
}

async function waiting(life: Life): Promise<void> {
  const { detent } = life;
  await life.run('a call to be approved', 'call send; say sent', 'awaitingConfirm');
  const two = await life.run('one of two calls approved', 'call send send; say sent', 'awaitingConfirm');
  const [pending] = (await detent.runs.show(two)).pending;
  if (pending)
    await detent.runs.confirm(two, pending.callId, { verdict: 'approve', hash: pending.argumentsHash });
  await life.run('a call of the client', 'call client_look; say looked', 'awaitingConfirm', {
    clientTools: [{ name: 'client_look' }],
  });
  await life.run('a call that asks', 'call wonder; say wondered', 'awaitingConfirm');
  await life.run('another call that asks', 'call wonder; echo', 'awaitingConfirm');
  await life.run('a task that waits', 'call task; say it was done', 'executing');
  await life.until('a parked call', `select 1 from runs where context like '%"parked"%'`);
  const grant = await life.run('granted', 'call send; say sent', 'awaitingConfirm');
  const [asked] = (await detent.runs.show(grant)).pending;
  if (asked)
    await detent.runs.confirm(grant, asked.callId, {
      verdict: 'approve',
      hash: asked.argumentsHash,
      grant: {},
    });
  await detent.runs.attach(grant).result;
}

async function compacting(life: Life): Promise<void> {
  for (const [word, state] of [
    ['hold-flush', 'flushing'],
    ['hold-summary', 'summarizing'],
  ] as const) {
    await life.run(`before ${state}`, `say ${word}`, null, { sessionId: state });
    await life.run(`again before ${state}`, `say ${word}`, null, { sessionId: state });
    void life.detent.sessions.compact(state);
    await life.until(state, 'select 1 from runs where state like ?', `%${state}%`);
    await life.run(`${state} in a run`, `say ${word}; say b`, null);
    await life.run(`${state} in a second run`, 'overflow', state, {
      sessionId: `${state}-in-a-run`,
      model: 'test/model',
    });
  }
}

async function flows(life: Life): Promise<void> {
  const { detent } = life;
  const kinds = ['writing', 'modelling', 'noting', 'reading', 'retrying', 'acting'];
  const people = ['paying', 'approving', 'choosing', 'filling', 'nesting'];
  for (const state of [...kinds, ...people])
    await life.flow('kept-services', { state }, state === 'acting' ? 'done' : state);
  await life.flow('kept-services', { state: 'approving' }, 'approving', 'a question withdrawn');
  for (const state of ['waiting', 'delaying', 'listening']) await life.flow('kept-times', { state }, state);
  await life.flow('kept-child', { state: 'asking' }, 'asking');
  const paused = await life.flow('kept-regions', { state: 'paused' }, 'asking');
  await detent.workflows.send(paused, { type: 'pause' });
  await life.reached(paused, 'paused');
  const fork = await detent.runs.fork(paused, { at: 0 });
  life.note(fork.runId, 'kept-regions: a fork that nobody has started');
  const gone = await life.flow('kept-times', { state: 'cancelled' }, 'listening');
  await detent.runs.cancel(gone);
}

async function otherTenant(life: Life): Promise<void> {
  const { id: tenantId } = await life.detent.tenants.create({
    name: 'other',
    workspace: `${life.workspace}-other`,
  });
  const principal = { tenantId, userId: 'ada' };
  const run = life.detent.run('call send; say sent elsewhere', { principal });
  life.note(await run.started, 'of a user of another tenant');
  await run.result;
}

async function users(life: Life): Promise<void> {
  const { detent } = life;
  const guest = { principal: { tenantId: 1, userId: 'guest' } };
  await life.run('of a guest who logged in', 'call send; say sent to a guest', 'awaitingConfirm', guest);
  await detent.users.claim({ from: 'guest', to: 'ann' });
  const rated = await life.run('rated', 'say rated', null, { principal: { tenantId: 1, userId: 'ann' } });
  await detent.sessions.rate('rated', { runId: rated, thumb: 'down', reason: 'too short', by: 'ann' });
  await life.run('taken over', 'say hello', null);
  const { runId } = await detent.sessions.takeOver('taken-over', { by: 'boss' });
  life.note(runId, 'a takeover');
  await detent.sessions.say('taken-over', 'I am here', { by: 'boss' });
  const held = await life.run(
    'a call that a phone holds',
    'call client_look; say looked',
    'awaitingConfirm',
    {
      clientTools: [{ name: 'client_look' }],
    },
  );
  await detent.runs.claim(held, (await detent.runs.show(held)).pending[0]?.callId ?? '', {
    installation: 'phone',
  });
  await life.until('a notice', "select 1 from notices where status = 'pending'");
}

async function jobs(life: Life): Promise<void> {
  const { detent } = life;
  const hanging = createServer(() => {});
  await new Promise<void>((resolve) => hanging.listen(deafPort, '127.0.0.1', resolve));
  const scheduler = createScheduler(detent, {
    concurrency: 1,
    webhooks: { allowHosts: ['127.0.0.1'], timeoutMs: 600_000 },
  });
  await scheduler.start();
  await life.until('a folded job', `select 1 from runs where state = '"folded"'`);
  const add = (jobId: string, prompt: string, more: object = {}) =>
    scheduler.add({ jobId, prompt, at: '2027-01-01T00:00:00Z', ...more });
  const reached = (jobId: string, state: string) =>
    life.until(
      `job ${jobId} is ${state}`,
      'select 1 from jobs j join runs r on r.pk = j.run_pk where j.id = ? and r.state = ?',
      jobId,
      JSON.stringify(state),
    );
  await reached('folded', 'disabled');
  await add('scheduled', 'say slot');
  await reached('scheduled', 'scheduled');
  await add('delivered', 'say delivered', { delivery: ['file:result.txt', 'session:results'] });
  await scheduler.run('delivered');
  await life.until(
    'two deliveries',
    "select count(*) from deliveries where job_id = 'delivered' and status = 'delivered' having count(*) = 2",
  );
  await add('retrying', 'say tried', { delivery: ['http://127.0.0.1:9/'], attempts: 3 });
  await scheduler.run('retrying');
  await life.until(
    'a delivery to repeat',
    "select 1 from deliveries where job_id = 'retrying' and attempt > 0",
  );
  await add('dead', 'say dead', { delivery: ['http://127.0.0.1:9/'], attempts: 1 });
  await scheduler.run('dead');
  await life.until('a dead delivery', "select 1 from deliveries where status = 'dead'");
  await add('alerting', 'refuse', { pauseAfter: 1, alertAfter: 1, alert: ['session:alerts'] });
  await scheduler.run('alerting');
  await reached('alerting', 'paused');
  await add('paused', 'say paused');
  await scheduler.pause('paused', 'a holiday');
  await reached('paused', 'paused');
  await add('disabled', 'say disabled');
  await scheduler.disable('disabled', 'no use');
  await reached('disabled', 'disabled');
  await add('removed', 'say removed');
  await scheduler.remove('removed');
  await add('workflow', '', { prompt: undefined, workflow: 'kept-times', input: { state: 'ended' } });
  await scheduler.run('workflow');
  await life.until(
    'a workflow of a job',
    "select 1 from job_fires where job_id = 'workflow' and status = 'ok'",
  );
  await add('delivering', 'say delivering', { delivery: [`http://127.0.0.1:${deafPort}/`], attempts: 1 });
  await scheduler.run('delivering');
  await reached('delivering', 'delivering');
  await add('running', 'hold; say ran');
  await scheduler.run('running');
  await reached('running', 'running');
  await scheduler.run('running');
  await add('starting', 'say started');
  await scheduler.run('starting');
  await reached('starting', 'starting');
  await add('due', 'say due');
  await reached('due', 'due');
}

/** Asks something of runs that the process before it drives, which is stopped. */
async function third(life: Life): Promise<null> {
  const { runs, workflows } = life.detent;
  const all = await runs.list({ limit: 1_000 });
  const of = async (isMeant: (run: (typeof all)[number]) => boolean) => {
    const id = all.find(isMeant)?.runId ?? 'none';
    const [first] = (await runs.show(id)).pending;
    return { id, first: first ?? missing(id) };
  };
  const named = (label: string) => of(({ sessionId }) => sessionId === label.replaceAll(' ', '-'));
  const flow = (id: string, word: string) =>
    of(({ workflow, state }) => workflow === id && state.includes(word));

  void runs.cancel(
    all.find(({ sessionId }) => sessionId === 'calls-side-by-side')?.runId ?? 'none',
    'too slow',
  );
  void runs.steer(
    all.find(({ sessionId }) => sessionId === 'told-by-another-process')?.runId ?? 'none',
    'say told',
  );
  const asking = await named('another call that asks');
  void runs.confirm(asking.id, asking.first.callId, {
    verdict: 'answer',
    answer: 'that',
    hash: asking.first.argumentsHash,
  });
  const regions = await flow('kept-regions', 'risking');
  void runs.reconcile(regions.id, regions.first.callId, { verdict: 'ran', result: '"it ran"' });
  void workflows.send(regions.id, { type: 'resume' });
  const { id, first: pay } = await flow('kept-services', 'paying');
  void runs.confirm(pay.runId ?? id, pay.callId, { verdict: 'approve', hash: pay.argumentsHash });
  // The newest of them.
  const { first: question } = await flow('kept-services', 'approving');
  void runs.cancel(question.runId ?? 'none', 'no longer of use');
  await life.until(
    'the decision on a payment',
    "select 1 from run_events where type = 'confirm.decide' and run_pk = (select pk from runs where id = ?)",
    pay.runId,
  );
  await life.until('six commands', 'select count(*) from commands where done_at is null having count(*) = 6');
  return null;
}

function missing(runId: string): never {
  throw new Error(`run ${runId} asks nothing`);
}

import { expect, it } from 'vitest';
import { atRest, minute, parrot, scheduled } from '../../schedule/support.ts';

it('keeps the jobs of a conversation that a person of the staff has: a slot waits, says why, and runs once it is given back', async () => {
  const { detent, clock, scheduler } = scheduled({ model: parrot({ text: 'It costs 12.' }) });
  await detent.run('watch the price', { sessionId: 'main' }).result;
  const every = { jobId: 'price', cron: '*/5 * * * *', timeZone: 'UTC', session: 'main' };
  await scheduler.add({ ...every, prompt: 'Look at the price.' });
  await scheduler.start();
  const { runId: takeover } = await detent.sessions.takeOver('main', { by: 'bob' });
  const answers = async () =>
    (await detent.sessions.show('main')).conversation.filter(({ role }) => role === 'assistant').length;
  await clock.advance(5 * minute);
  const slot = async () => (await scheduler.history('price'))[0];
  while (!(await slot())?.runId) await clock.advance(0);
  const waits = { status: 'running', runStatus: 'queued', waitsForStaff: true };
  expect(await slot()).toMatchObject(waits);
  expect(await scheduler.get('price')).toMatchObject({ current: { status: 'queued', waitsForStaff: true } });
  const why = await detent.runs.why(String((await slot())?.runId));
  expect(why.summary).toBe(
    `run ${takeover} is ahead of this one in the queue of session "main": it is waiting, because bob has taken the conversation over, and the agent is silent until it is given back`,
  );
  expect(why.next.map(({ command }) => command)).toEqual(['detent sessions give-back main']);
  // The next slots come, and the agent is still silent.
  await clock.advance(15 * minute);
  expect(await answers()).toBe(1);
  expect(await detent.runs.why(takeover)).toMatchObject({ cause: 'taken_over' });
  await detent.sessions.giveBack('main', { by: 'bob' });
  await atRest({ clock, scheduler });
  expect((await scheduler.history('price')).at(-1)).toMatchObject({ status: 'ok', runStatus: null });
  expect(await answers()).toBe(2);
  expect((await detent.runs.why(takeover)).summary).toBe(
    'a person of the staff had the conversation, and it is over',
  );
});

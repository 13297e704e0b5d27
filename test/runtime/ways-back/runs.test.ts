import { describe, expect, vi } from 'vitest';
import { doing, fireAgain, itComesBack, lastSession, planted, type Way, type World } from './world.ts';

/** Every way in which untrusted text comes back into a prompt, but for files and the memory. */
const ways: Record<string, Way> = {
  // In one conversation
  'the result of a call': async () => ({ calls: [['mail']] }),
  'the error of a call': async () => ({ calls: [['broken']] }),
  'a long result, kept as an artifact': async () => ({ calls: [['long']] }),
  'an earlier run of the session': async ({ say }) => {
    await say(doing(['mail']), { sessionId: 's' });
    return { sessionId: 's' };
  },
  'a summary': async ({ say, detent }) => {
    await say(doing(['mail']), { sessionId: 's' });
    for (let i = 0; i < 4; i++)
      await say(`${doing(['own'])} ${'lorem ipsum '.repeat(400)}`, { sessionId: 's' });
    await detent.sessions.compact('s');
    return { sessionId: 's' };
  },
  'a fork': async ({ say, detent }) => {
    const { runId } = await say(doing(['mail']), { sessionId: 's' });
    const seq = (await detent.runs.events(runId)).at(-1)?.seq ?? 0;
    await detent.sessions.fork('s', { runId, seq, sessionId: 'fork' });
    return { sessionId: 'fork' };
  },
  'an export and its import': async ({ say, detent }) => {
    await say(doing(['mail']), { sessionId: 's' });
    await detent.sessions.import(await exported(detent, 's'), { sessionId: 'copy' });
    return { sessionId: 'copy' };
  },
  'an import of text alone': async ({ detent }) => {
    const lines = [
      { type: 'system.init', session_id: 's' },
      { type: 'user.message', text: 'What does the mail say?' },
      { type: 'assistant.message', text: planted, is_summary: false },
    ];
    await detent.sessions.import(
      lines.map((line, i) => JSON.stringify({ ...line, seq: i + 1, ts: 1 })).join('\n'),
      {},
    );
    return { sessionId: 's' };
  },
  // Of other runs
  'the result of a task': async () => ({ calls: [['task', { prompt: doing(['mail']) }]] }),
  'the prompt of a task, in its session later on': async ({ say, detent }) => {
    const { steps } = await say(doing(['mail'], ['task', { prompt: doing(['own']) }]));
    const child = steps[1]?.toolCalls[0]?.subRun?.runId ?? '';
    return { sessionId: (await detent.runs.show(child)).sessionId };
  },
  'a search in conversations': async ({ say }) => {
    await say(doing(['mail']), { sessionId: 'other' });
    return { calls: [['session_search', { query: 'money account' }]] };
  },
  'a search that finds the prompt of a task': async ({ say }) => {
    await say(doing(['mail'], ['task', { prompt: `zebra crossing ${planted}` }]));
    return { calls: [['session_search', { query: 'zebra crossing' }]] };
  },
  // Jobs
  'a job that an agent made, in its session later on': async ({ say, scheduler }) => {
    await scheduler.start();
    const job = { action: 'create', job_id: 'daily', prompt: doing(['own']), at: '2100-01-01T00:00:00Z' };
    await say(doing(['mail'], ['schedule_job', job]));
    await fireAgain(scheduler);
    return { sessionId: await lastSession(scheduler) };
  },
  'the answer of a run whose source is not kept any more': async ({ fire, scheduler, detent }) => {
    await fire({ prompt: doing(['mail']), keep: 1, session: 'cron:daily' });
    await scheduler.update('daily', { prompt: doing(['own']) });
    await fireAgain(scheduler);
    await vi.waitFor(async () => expect((await detent.sessions.show('cron:daily')).history).toHaveLength(1), {
      timeout: 60_000,
    });
    return { sessionId: 'cron:daily' };
  },
  'the list of jobs': async ({ say, scheduler }) => {
    await scheduler.start();
    const job = { action: 'create', job_id: 'daily', prompt: planted, at: '2100-01-01T00:00:00Z' };
    await say(doing(['mail'], ['schedule_job', job]));
    return { calls: [['schedule_job', { action: 'list' }]] };
  },
  'the result of a job in a session': async ({ fire }) => {
    await fire({ prompt: doing(['mail']), delivery: 'session:s' });
    return { sessionId: 's' };
  },
  'the result of a workflow’s job in a session': async ({ fire }) => {
    await fire({ workflow: 'fetches', delivery: 'session:s' });
    return { sessionId: 's' };
  },
  'the error of a workflow’s job in a session': async ({ fire }) => {
    await fire({ workflow: 'breaks', alert: 'session:s', alertAfter: 1 });
    return { sessionId: 's' };
  },
  'the last result of a job': async ({ fire, scheduler }) => {
    await fire({ prompt: doing(['mail']) });
    await scheduler.update('daily', { prompt: `${doing(['own'])}\n{{last}}` });
    await fireAgain(scheduler);
    return { sessionId: await lastSession(scheduler) };
  },
  'the last result of a workflow’s job': async ({ fire, scheduler }) => {
    await fire({ workflow: 'fetches' });
    await scheduler.update('daily', { prompt: `${doing(['own'])}\n{{last}}` });
    await fireAgain(scheduler);
    return { sessionId: await lastSession(scheduler) };
  },
};

async function exported(detent: World['detent'], session: string): Promise<string> {
  const lines = await Array.fromAsync(detent.sessions.export(session));
  return lines.join('\n');
}

describe('untrusted text of a conversation', () => itComesBack(ways));

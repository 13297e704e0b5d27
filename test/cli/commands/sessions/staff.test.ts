import { expect, it } from 'vitest';
import { newWorkspace } from '../../../support/cli.ts';

it('takes a session over, speaks, gives it back, and shows all of it with the rating', async () => {
  const workspace = await newWorkspace();
  const done = await workspace.withLibrary(
    (detent) => detent.run('What is 6*7?', { sessionId: 'chat', principal: { userId: 'ann' } }).result,
  );
  const printed = async (...args: string[]) => {
    const { code, stdout, stderr } = await workspace.detent(['sessions', ...args]);
    expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  expect(await printed('takeover', 'chat', '--reason', 'a refund')).toMatch(/^taken over by \S+, in run_/);
  expect(await printed('say', 'chat', 'I am', 'Dora.')).toMatch(/^said in run_/);
  expect(await printed('show', 'chat')).toMatch(
    /user {5}ann\n[\s\S]*staff {4}\S+, since \S+ \(run_\S+\)\nreason {3}a refund\n[\s\S]*staff, \S+: I am Dora\.\n/,
  );
  expect(await printed('give-back', 'chat')).toBe('given back; the agent waits for the user\n');
  expect(await printed('rate', 'chat', done.runId, '--down')).toMatch(/^rated down: the answer at seq \d+/);
  expect((await workspace.detent(['sessions', 'rate', 'chat', done.runId])).code).toBe(2);
});

it('waits for the agent that answers the last words of the user', async () => {
  const workspace = await newWorkspace();
  await workspace.withLibrary(async (detent) => {
    const { runId } = await detent.run('What is 6*7?', { sessionId: 'chat' }).result;
    await detent.sessions.rate('chat', { runId, thumb: 'up', reason: 'right' });
    await detent.sessions.takeOver('chat', { by: 'bob' });
    await detent.run('What is 7*8?', { sessionId: 'chat' }).started;
  });
  expect((await workspace.detent(['sessions', 'give-back', 'chat'])).stdout).toMatch(
    /^given back; the agent answered in run_\S+: .*56/,
  );
  expect((await workspace.detent(['sessions', 'show', 'chat'])).stdout).toMatch(/rated up by \S+: right\n/);
});

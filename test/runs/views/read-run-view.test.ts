import { expect, it } from 'vitest';
import { scripted, tool } from '../../support/detent.ts';

it('says until when a run waits for a person, and nothing of that once it goes on', async () => {
  const { detent } = await scripted([{ toolCalls: [{ name: 'act' }] }, { text: 'done' }], {
    tools: { define: [tool('act', { sideEffect: 'unsafe' })] },
    limits: { confirmExpiryMs: 60_000 },
  });
  const view = await detent.run('go').result;
  const asked = (await detent.runs.timeline(view.runId)).find(
    ({ event }) => event === 'tool.confirm_request',
  );
  expect(view).toMatchObject({ status: 'waiting', waitsUntil: Number(asked?.at) + 60_000 });
  await detent.runs.confirm(view.runId, 'c2', { verdict: 'approve' });
  expect(await detent.runs.attach(view.runId).result).not.toHaveProperty('waitsUntil');
});

import { expect, it } from 'vitest';
import { gate } from '../support/detent.ts';
import { served } from './support.ts';

it('a gateway that closes still tells its clients how a run ended that the host had started', async () => {
  const asked = gate();
  const { detent, gateway, connect, url, token } = await served(
    [(_, { signal }) => asked.pass(signal).then(() => ({ text: 'The end.' }))],
    {},
    { limits: { drainMs: 10_000 } },
  );
  const run = detent.run('go', { sessionId: 'main' });
  const runId = await run.started;
  const client = await connect();
  await client.ask('run.subscribe', { runId });
  const stream = await fetch(`${url}/api/v1/runs/${runId}/events`, {
    headers: { authorization: `Bearer ${await token()}` },
  });
  await client.saw(({ event }) => event === 'step.begin');
  const closing = gateway.close();
  asked.open();
  await closing;
  expect((await client.closed).code).toBe(1001);
  expect(client.events.at(-1)).toMatchObject({ event: 'lifecycle.end', payload: { content: 'The end.' } });
  expect(await stream.text()).toContain('lifecycle.end');
});

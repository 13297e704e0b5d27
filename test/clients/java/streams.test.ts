import type { RequestListener } from 'node:http';
import { expect, it } from 'vitest';
import { noJdk } from '../../../scripts/build-java.ts';
import { served } from '../../gateway/support.ts';
import { temporaryWorkspace } from '../../support/detent.ts';
import { describeWith } from '../../support/needs.ts';
import { Phones, tokensOf } from './support.ts';

const prompts = Array.from({ length: 20 }, (_, i) => `message ${i}`);
/** As Transport.java has it. */
const maxOpening = 8;

describeWith(noJdk === null, noJdk ?? '')('an app with many runs at a gateway that answers late', () => {
  it('asks for few streams at a time, and gets the end of each run', async () => {
    const gateway = await served(prompts.map(() => ({ text: 'Hello.' })));
    const tokens = await tokensOf(() => gateway.token({ scopes: ['talk'], userId: 'bob' }));
    const [answer] = gateway.server.listeners('request') as RequestListener[];
    const held: (() => void)[] = [];
    let isHeld = true;
    gateway.server.removeAllListeners('request').on('request', (request, response) => {
      const go = () => answer?.(request, response);
      if (isHeld && request.url?.endsWith('/events')) held.push(go);
      else go();
    });
    const phones = new Phones();
    const folder = await temporaryWorkspace();
    // Longer than this test holds a stream.
    const open = { do: 'open', client: 'phone', url: gateway.url, folder, signOfLifeMs: 100_000 };
    await phones.ask({ ...open, tokens: tokens.url });
    await phones.ask({ do: 'engine', client: 'phone', engine: 'chat', session: 'talk' });
    for (const prompt of prompts) await phones.ask({ do: 'run', engine: 'chat', prompt });
    await expect.poll(async () => (await gateway.detent.runs.list()).length).toBe(prompts.length);
    await expect.poll(() => held.length).toBe(maxOpening);
    isHeld = false;
    for (const go of held) go();
    for (const prompt of prompts) expect(await phones.end(prompt)).toBe(null);
    await phones.ask({ do: 'shutdown', client: 'phone' });
    expect(await phones.ask({ do: 'threads' })).toEqual([]);
  });
});

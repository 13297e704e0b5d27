import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/runtime/redaction.ts';
import { heard, Shop, stores } from './print-shop.ts';

const secret = 'sk-"quoted"\\and-long';
const { redact } = createRedactor({ PRESS_API_KEY: secret });
const mark = '[redacted:PRESS_API_KEY]';

describe.each(stores)('known secrets, on a store %s', (_, open) => {
  const working = async () => {
    const shop = new Shop({ store: await open(), redact });
    const row = await shop.create('a');
    await shop.sheet('a:1');
    return { shop, row };
  };

  it('are taken out of events', async () => {
    const { shop, row } = await working();
    await shop.send('a', 'job.say', { words: `the key is ${secret}` });
    const [event] = await shop.store.query('listEvents', { run: row.pk, after: 1, limit: 1 });
    expect(JSON.parse(event?.body ?? '')).toEqual({ words: `the key is ${mark}` });
  });

  it('are taken out of messages', async () => {
    const { shop, row } = await working();
    await shop.send('a', 'job.say', { words: `the key is ${secret}` });
    const [message] = await shop.store.query('listMessagesOfRun', { session: row.session, run: row.pk });
    expect(JSON.parse(message?.body ?? '')).toEqual({ text: `the key is ${mark}` });
  });

  it('are taken out of what watchers hear: they see what the log shows', async () => {
    const { shop } = await working();
    const signals = heard(shop.bus, 'a');
    await shop.send('a', 'job.say', { words: secret });
    expect(signals).toMatchObject([{ event: { type: 'job.say', words: mark } }]);
  });

  it('stay in what an effect is performed with', async () => {
    const { shop, row } = await working();
    await shop.store.commit(function* () {
      yield ['changeEffectInput', { run: row.pk, n: 1, input: secret }];
    });
    expect((await shop.store.query('findEffect', { run: row.pk, n: 1 }))?.input).toBe(secret);
  });
});

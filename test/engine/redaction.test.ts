import { describe, expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import { readMessages } from '../../src/engine/log/read-log.ts';
import { replay } from '../../src/engine/log/replay.ts';
import type { MachineHost } from '../../src/engine/machine/machine-host.ts';
import { PureMachine } from '../../src/engine/machine/pure-machine.ts';
import { createRedactor } from '../../src/runtime/config/redaction.ts';
import { heard, onDisk, Shop, tenant } from './print-shop.ts';

const secret = 'sk-"quoted"\\and-long';
const { redact } = createRedactor({ PRESS_API_KEY: secret });
const mark = '[redacted:PRESS_API_KEY]';

describe('known secrets', () => {
  const working = async () => {
    const shop = new Shop({ store: await onDisk(), redact });
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
    const [message] = await Array.fromAsync(readMessages(shop.store, row));
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

/** It keeps what it is given, and prints that. */
const scribe = setup({
  types: { context: {} as { effects: number; words: string; last: string }, input: {} as { words: string } },
  actions: { 'effect.print': (_, _params: { effectId: number; words: string }) => {} },
}).createMachine({
  context: ({ input }) => ({ effects: 0, words: input.words, last: '' }),
  initial: 'queued',
  states: {
    queued: { on: { 'job.start': 'listening' } },
    listening: {
      on: {
        'job.say': {
          actions: [
            assign({ effects: ({ context }) => context.effects + 1, words: ({ event }) => event.words }),
            {
              type: 'effect.print',
              params: ({ context }) => ({ effectId: context.effects, words: context.words }),
            },
          ],
        },
        // What it had in mind before: not what it was told now.
        'job.note': {
          actions: assign({ last: ({ context }) => `I heard ${context.words.length} characters` }),
        },
      },
    },
  },
});

describe('a run that is moved in memory', () => {
  const host = (print: MachineHost): MachineHost => ({
    ...print,
    machine: new PureMachine(scribe),
    awaited: () => [],
    isParked: () => false,
  });
  const scribing = async (words = '') => {
    const shop = new Shop({ store: await onDisk(), redact, host });
    const { row } = await shop.engine.create({
      tenant,
      id: 'a',
      sessionKey: 'a',
      input: { words },
      options: { machine: 'print' },
      *writes() {},
    });
    return { shop, run: row.pk };
  };

  it('performs effects with the params and the context that their rows have', async () => {
    const { shop, run } = await scribing();
    await shop.send('a', 'job.say', { words: secret });
    const { job } = await shop.sheet('a:1');
    expect(job.params).toEqual({ effectId: 1, words: mark });
    expect(JSON.parse((await shop.store.query('findEffect', { run, n: 1 }))?.params ?? '')).toEqual(
      job.params,
    );
    expect(job.context).toEqual(JSON.parse((await shop.row('a')).context));
  });

  it('is what a driver would restore: it does not know a secret that was taken out', async () => {
    const { shop } = await scribing();
    await shop.send('a', 'job.say', { words: secret });
    await shop.send('a', 'job.note');
    expect(await shop.context('a')).toMatchObject({
      words: mark,
      last: `I heard ${mark.length} characters`,
    });
  });

  it('begins with an input that has none', async () => {
    const { shop } = await scribing(`the key is ${secret}`);
    const { input, context } = await shop.row('a');
    expect([JSON.parse(input).words, JSON.parse(context).words]).toEqual([
      `the key is ${mark}`,
      `the key is ${mark}`,
    ]);
  });

  it('leaves a log that replays without the secret', async () => {
    const { shop, run } = await scribing(secret);
    for (const type of ['job.note', 'job.say', 'job.note']) await shop.send('a', type, { words: secret });
    const events = await shop.store.query('listEvents', { run, after: 0, limit: 10 });
    expect(replay(shop.host, await shop.row('a'), events)).toEqual({ diverged: null, folded: 4 });
  });
});

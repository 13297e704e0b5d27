import { describe, expect, it } from 'vitest';
import type { RunSignal } from '../../../src/engine/bus.ts';
import { type Followed, follow } from '../../../src/engine/drive/follow.ts';
import { onDisk, quiet, Shop, tenant, until } from '../print-shop.ts';

const readBody = ({ body }: { body: string }): object => JSON.parse(body);

const seqs = (signals: readonly RunSignal[]) =>
  signals.filter(({ type }) => type === 'transition').map(({ seq }) => seq);
const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

describe('following a run', () => {
  const shop = async (quick = false) => new Shop({ store: await onDisk(), quick });
  const watch = ({ bus, store }: Shop, id = 'a', afterSeq = 0): Followed =>
    follow({ bus, store, readBody }, tenant, id, afterSeq);

  it('gives all that happens to a run that is yet to be made, and ends with it', async () => {
    const press = await shop(true);
    const signals = Array.fromAsync(watch(press));
    await press.create('a', { pages: 3 });
    const list = await signals;
    expect(seqs(list)).toEqual([1, 2, 3, 4]);
    expect(list.map(({ ended }) => ended)).toEqual([false, false, false, true]);
  });

  it('gives the log of a run that has ended, and ends', async () => {
    const press = await shop(true);
    await press.create('a', { pages: 3 });
    await press.reaches('a', 'done');
    const list = await Array.fromAsync(watch(press));
    expect([seqs(list), list.at(-1)?.ended]).toEqual([[1, 2, 3, 4], true]);
    expect(list[1]).toMatchObject({ path: 'printing', event: { type: 'print.done', effectId: 1 } });
  });

  it('tells the same from the log as it does live', async () => {
    const press = await shop(true);
    const live = Array.fromAsync(watch(press));
    await press.create('a', { pages: 3 });
    expect(await Array.fromAsync(watch(press))).toEqual(await live);
  });

  it('gives each transition the messages that were written with it, from the log and live', async () => {
    const press = await shop();
    await press.create('a');
    await press.sheet('a:1');
    await press.send('a', 'job.say', { words: 'early' });
    const live = Array.fromAsync(watch(press));
    await press.send('a', 'job.say', { words: 'late' });
    const { done } = await press.sheet('a:1');
    done();
    expect((await live).map(({ messages }) => messages)).toEqual([
      [],
      [{ role: 'user', text: 'early' }],
      [{ role: 'user', text: 'late' }],
      [],
    ]);
  });

  it('goes on from a seq', async () => {
    const press = await shop(true);
    await press.create('a', { pages: 5 });
    await press.reaches('a', 'done');
    expect(seqs(await Array.fromAsync(watch(press, 'a', 4)))).toEqual([5, 6]);
    expect(await Array.fromAsync(watch(press, 'a', 6))).toEqual([]);
  });

  it('leaves no gap and says nothing twice, wherever it begins in a busy run', async () => {
    const press = await shop();
    await press.create('a', { pages: 1_000 });
    const follower: Promise<RunSignal[]>[] = [];
    for (let i = 0; i < 40; i++) {
      follower.push(Array.fromAsync(watch(press, 'a', i % 4)));
      void press.send('a', 'job.note');
      if (i % 3 === 0) await quiet(1);
      if (i % 7 === 0) press.sheets.values().next().value?.done();
      // Within a turn of the loop, too, there are places to begin.
      for (let turns = i % 5; turns > 0; turns--) await Promise.resolve();
    }
    await press.send('a', 'job.cancel');
    const last = (await press.row('a')).seq;
    for (const [i, list] of (await Promise.all(follower)).entries()) {
      expect(seqs(list)).toEqual(upTo(last, (i % 4) + 1));
      expect(list.filter(({ ended }) => ended).map(({ seq }) => seq)).toEqual([last]);
    }
  });

  it('ends although the run ended while it was being read', async () => {
    for (let turns = 0; turns < 25; turns++) {
      const press = await shop();
      await press.create('a');
      const sheet = await press.sheet('a:1');
      const list = Array.fromAsync(watch(press));
      for (let i = 0; i < turns; i++) await Promise.resolve();
      sheet.done();
      const signals = await list;
      expect([turns, seqs(signals), signals.at(-1)?.ended]).toEqual([turns, [1, 2], true]);
      await press.engine.stop();
    }
  });

  it('shows nothing of a run of another tenant from the log', async () => {
    const press = await shop(true);
    await press.create('a');
    await press.reaches('a', 'done');
    const followed = follow({ ...press, readBody }, 2, 'a');
    const list = Array.fromAsync(followed);
    await quiet();
    followed.stop();
    expect(await list).toEqual([]);
  });

  it('can be stopped by who reads it, and listens no more', async () => {
    const press = await shop();
    const followed = watch(press);
    await press.create('a');
    for await (const signal of followed) {
      expect(signal.seq).toBe(1);
      break;
    }
    await press.send('a', 'job.note');
    expect(await Array.fromAsync(followed)).toEqual([]);
  });

  it('can be stopped from outside while its reader waits', async () => {
    const press = await shop();
    await press.create('a');
    const followed = watch(press);
    const list = Array.fromAsync(followed);
    await quiet();
    followed.stop();
    await press.send('a', 'job.note');
    expect(seqs(await list)).toEqual([1]);
  });

  it('gives a reader who is behind every transition, even when it must drop words', async () => {
    const press = await shop();
    await press.create('a');
    const followed = watch(press);
    const { job } = await press.sheet('a:1');
    const first = await followed.next();
    for (let i = 0; i < 10_050; i++) job.signalWatchers({ type: 'delta', i });
    await press.send('a', 'job.note');
    await press.send('a', 'job.cancel');
    const list = await Array.fromAsync(followed);
    expect([first.value.seq, seqs(list)]).toEqual([1, [2, 3]]);
    expect(list.filter(({ type }) => type === 'delta')).toHaveLength(10_000);
  });

  it('drops nothing but words, progress and log lines: what takes words back must arrive', async () => {
    const press = await shop();
    await press.create('a');
    const followed = watch(press);
    const { job } = await press.sheet('a:1');
    await followed.next();
    for (let i = 0; i < 10_050; i++) job.signalWatchers({ type: 'delta', i });
    job.signalWatchers({ type: 'delta.reset' });
    await press.send('a', 'job.cancel');
    expect((await Array.fromAsync(followed)).slice(-2).map(({ type }) => type)).toEqual([
      'delta.reset',
      'transition',
    ]);
  });

  it('breaks off with the error when the run stalls', async () => {
    const press = await shop();
    await press.create('a');
    const followed = watch(press);
    const list = Array.fromAsync(followed);
    await until(() => press.sheets.size > 0);
    press.bus.notify({ runId: 'a', type: 'stalled', error: new Error('no disk') });
    await expect(list).rejects.toThrow('no disk');
  });
});

import { describe, expect, it } from 'vitest';
import { quiet, type Sheet, Shop, stores, until } from './print-shop.ts';

describe.each(stores)('a session’s lane on a store %s', (_, open) => {
  const shop = async (quick = false) => new Shop({ store: await open(), quick });

  it('runs strictly one after the other, in order of arrival', async () => {
    const press = await shop();
    const ids = ['a', 'b', 'c', 'd'];
    await Promise.all(ids.map((id) => press.create(id, { session: 's' })));
    for (const [i, id] of ids.entries()) {
      const sheet = await press.sheet(`${id}:1`);
      expect(await Promise.all(ids.map((one) => press.state(one)))).toEqual(
        ids.map((__, j) => (j < i ? 'done' : j === i ? 'printing' : 'queued')),
      );
      sheet.done();
    }
    await press.reaches('d', 'done');
    expect(press.performed).toEqual(ids.map((id) => `${id}:1`));
  });

  it('runs beside the lanes of other sessions', async () => {
    const press = await shop();
    await Promise.all([press.create('a', { session: 's' }), press.create('b', { session: 't' })]);
    await Promise.all([press.sheet('a:1'), press.sheet('b:1')]);
    expect(press.sheets.size).toBe(2);
  });

  it('is kept by a run that waits for a person', async () => {
    const press = await shop();
    await press.create('a', { session: 's' });
    await press.create('b', { session: 's' });
    (await press.sheet('a:1')).jam();
    await press.reaches('a', 'jammed');
    await quiet();
    expect([await press.state('b'), press.performed]).toEqual(['queued', ['a:1']]);
    await press.send('a', 'job.clear');
    (await press.sheet('a:2')).done();
    expect(await press.sheet('b:1')).toBeDefined();
  });

  it('goes on when its head is cancelled, and skips who was cancelled in it', async () => {
    const press = await shop();
    for (const id of ['a', 'b', 'c']) await press.create(id, { session: 's' });
    await press.send('b', 'job.cancel');
    await press.send('a', 'job.cancel');
    expect(await press.sheet('c:1')).toBeDefined();
    expect([await press.state('a'), await press.state('b')]).toEqual(['cancelled', 'cancelled']);
  });

  it('lets a run expire that waited too long, while its head still works', async () => {
    const press = await shop();
    await press.create('a', { session: 's' });
    (await press.sheet('a:1')).jam();
    await press.reaches('a', 'jammed');
    await press.create('b', { session: 's' });
    await press.clock.advance(59_000);
    expect(await press.state('b')).toBe('queued');
    await press.clock.advance(1_000);
    expect([await press.state('a'), await press.state('b')]).toEqual(['jammed', 'failed']);
  });

  it('starts a run in the commit that makes it when the lane is free', async () => {
    const press = await shop();
    const row = await press.create('a');
    expect([row.seq, row.state, await press.events('a')]).toEqual([1, '"printing"', ['job.start']]);
    expect((await press.timers('a')).map(({ id }) => id)).toEqual(['patience']);
  });

  it('has room again for a run that comes after all have ended', async () => {
    const press = await shop(true);
    await press.create('a', { session: 's' });
    await press.reaches('a', 'done');
    const row = await press.create('b', { session: 's' });
    expect([row.ordinal, row.state]).toEqual([2, '"printing"']);
  });

  it('never holds two runs at work, whatever comes together', async () => {
    const press = await shop();
    let most = 0;
    const working = new Map<string, Sheet>();
    const ids = Array.from({ length: 12 }, (__, i) => `r${i}`);
    const made = Promise.all(ids.map((id) => press.create(id, { session: 's', pages: 2 })));
    for (let pages = 0; pages < 24; pages++) {
      await until(() => press.sheets.size > 0, `page ${pages}`);
      for (const [name, sheet] of press.sheets) working.set(name, sheet);
      most = Math.max(most, press.sheets.size);
      const [sheet] = press.sheets.values();
      sheet?.done();
      await quiet(3);
    }
    await made;
    for (const id of ids) await press.reaches(id, 'done');
    expect([most, working.size]).toEqual([1, 24]);
  });
});

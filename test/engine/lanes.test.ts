import { describe, expect, it } from 'vitest';
import { onDisk, quiet, type Sheet, Shop, until } from './print-shop.ts';

describe('a session’s lane', () => {
  const shop = async (quick = false) => new Shop({ store: await onDisk(), quick });

  it('starts a run in the commit that makes it when the lane is free', async () => {
    const press = await shop();
    const row = await press.create('a');
    expect([row.seq, row.state, await press.events('a')]).toEqual([1, '"printing"', ['job.start']]);
    expect((await press.timers('a')).map(({ id }) => id)).toEqual(['patience']);
  });

  it('has room again for a run that comes after all have ended', async () => {
    const press = await shop(true);
    await press.create('a', { sessionId: 's' });
    await press.reaches('a', 'done');
    const row = await press.create('b', { sessionId: 's' });
    expect([row.ordinal, row.state]).toEqual([2, '"printing"']);
  });

  it('never holds two runs at work, whatever comes together', async () => {
    const press = await shop();
    let most = 0;
    const working = new Map<string, Sheet>();
    const ids = Array.from({ length: 12 }, (__, i) => `r${i}`);
    const made = Promise.all(ids.map((id) => press.create(id, { sessionId: 's', pages: 2 })));
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

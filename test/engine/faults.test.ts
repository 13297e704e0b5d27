import { describe, expect, it } from 'vitest';
import { heard, onDisk, quiet, Shop, until } from './print-shop.ts';

describe('a machine that throws', () => {
  const working = async () => {
    const shop = new Shop({ store: await onDisk() });
    await shop.create('a');
    await shop.sheet('a:1');
    return shop;
  };

  it('has its commit rolled back, and the throw counted', async () => {
    const shop = await working();
    const before = await shop.row('a');
    await expect(shop.send('a', 'job.break')).rejects.toMatchObject({ code: 'MACHINE_FAULT' });
    expect(await shop.row('a')).toEqual({ ...before, faults: 1 });
  });

  it('goes on with the next event', async () => {
    const shop = await working();
    await expect(shop.send('a', 'job.break')).rejects.toMatchObject({ code: 'MACHINE_FAULT' });
    (await shop.sheet('a:1')).done();
    await shop.reaches('a', 'done');
  });

  it('cannot poison its run for ever: the third throw fails it', async () => {
    const shop = await working();
    const { job } = await shop.sheet('a:1');
    for (let i = 0; i < 3; i++)
      await expect(shop.send('a', 'job.break')).rejects.toMatchObject({ code: 'MACHINE_FAULT' });
    expect([await shop.state('a'), await shop.events('a'), job.signal.aborted]).toEqual([
      'failed',
      ['job.start', 'job.faulted'],
      true,
    ]);
  });

  it('fails its run at once when it is a fact that makes it throw: it would not be sent again', async () => {
    const shop = new Shop({ store: await onDisk(), host: (host) => ({ ...host, commands: new Set() }) });
    const signals = heard(shop.bus, 'a');
    await shop.create('a');
    const receipt = await shop.send('a', 'job.break');
    expect([receipt.kind, await shop.state('a'), (await shop.row('a')).faults]).toEqual([
      'moved',
      'failed',
      3,
    ]);
    expect(signals.at(-1)).toMatchObject({
      event: { type: 'job.faulted', code: 'MACHINE_FAULT' },
      ended: true,
    });
  });

  it('is refused an action that its host does not know, in the same way', async () => {
    const shop = await working();
    for (let i = 0; i < 3; i++)
      await expect(shop.send('a', 'job.mystery')).rejects.toMatchObject({ code: 'UNKNOWN_ACTION' });
    expect(await shop.state('a')).toBe('failed');
  });

  it('takes no other run with it', async () => {
    const shop = await working();
    await shop.create('b');
    const together = await Promise.allSettled([
      shop.send('a', 'job.break'),
      shop.send('b', 'job.note'),
      shop.send('a', 'job.note'),
    ]);
    expect(together.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  });

  it('frees its lane when it is failed', async () => {
    const shop = new Shop({ store: await onDisk() });
    await shop.create('a', { sessionId: 's' });
    await shop.create('b', { sessionId: 's' });
    for (let i = 0; i < 3; i++) await shop.send('a', 'job.break').catch(() => {});
    expect(await shop.sheet('b:1')).toBeDefined();
  });
});

describe('an effect that breaks its contract', () => {
  it('gives the fact that its handler has for a defect', async () => {
    const shop = new Shop({ store: await onDisk() });
    await shop.create('a');
    (await shop.sheet('a:1')).crash(new Error('the press burns'));
    await shop.reaches('a', 'jammed');
    const { pk } = await shop.row('a');
    const rows = await shop.store.query('listEvents', { run: pk, after: 1, limit: 1 });
    expect(JSON.parse(rows[0]?.body ?? '')).toEqual({ effectId: 1, why: 'the press burns' });
    expect(shop.reports).toEqual([]);
  });

  it('throws before it awaits anything, and is no different', async () => {
    const shop = new Shop({
      store: await onDisk(),
      host: (host) => ({
        ...host,
        effects: {
          'effect.print': {
            ...host.effects['effect.print'],
            perform: () => {
              throw new Error('at once');
            },
          },
        } as never,
      }),
    });
    await shop.create('a');
    await shop.reaches('a', 'jammed');
  });
});

describe('an engine that is stopped', () => {
  it('aborts what is in flight and leaves runs where they are', async () => {
    const shop = new Shop({ store: await onDisk() });
    await shop.create('a');
    const { job, done } = await shop.sheet('a:1');
    await shop.engine.stop();
    done();
    await quiet();
    expect([job.signal.aborted, await shop.state('a'), await shop.effects('a')]).toEqual([
      true,
      'printing',
      ['1 started 0'],
    ]);
  });

  it('refuses commands and new runs', async () => {
    const shop = new Shop({ store: await onDisk() });
    await shop.create('a');
    await shop.engine.stop();
    await expect(shop.send('a', 'job.note')).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(shop.create('b')).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(shop.engine.drive('all')).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('fires no timer any more', async () => {
    const shop = new Shop({ store: await onDisk() });
    await shop.create('a');
    await shop.engine.stop();
    await shop.clock.advance(60_000);
    expect(await shop.state('a')).toBe('printing');
  });

  it('lets what is being committed be committed, and starts nothing of it', async () => {
    const shop = new Shop({ store: await onDisk() });
    await shop.create('a', { pages: 2 });
    (await shop.sheet('a:1')).done();
    const noting = shop.send('a', 'job.note');
    await shop.engine.stop();
    expect((await noting).kind).toBe('moved');
    await quiet();
    expect(shop.performed.length).toBeLessThanOrEqual(2);
    expect(shop.sheets.get('a:2')?.job.signal.aborted ?? true).toBe(true);
  });

  it('can be stopped twice', async () => {
    const shop = new Shop({ store: await onDisk() });
    await shop.create('a');
    await Promise.all([shop.engine.stop(), shop.engine.stop()]);
    await shop.engine.stop();
  });

  it('leaves everything that it had begun to the next one', async () => {
    const store = await onDisk();
    for (let turns = 0; turns < 10; turns++) {
      const id = `r${turns}`;
      const first = new Shop({ store });
      void first.create(id, { pages: 3 }).catch(() => {});
      void first.create(`${id}-later`, { sessionId: id }).catch(() => {});
      await quiet(turns);
      for (const sheet of first.sheets.values()) sheet.done();
      await quiet(turns % 3);
      await first.engine.stop();
      await quiet(3);
      const next = new Shop({ store, quick: true });
      const ids = await next.drive();
      await until(async () => (await Promise.all(ids.map((id) => next.row(id)))).every((row) => row.ended));
      expect([...first.reports, ...next.reports]).toEqual([]);
      await next.engine.stop();
    }
  });
});

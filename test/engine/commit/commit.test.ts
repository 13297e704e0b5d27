import { describe, expect, it } from 'vitest';
import { readMessages } from '../../../src/engine/log/read-log.ts';
import { heard, inMemory, onDisk, quiet, Shop, tenant, until } from '../print-shop.ts';

describe('an engine', () => {
  const shop = async (quick = false) => new Shop({ store: await onDisk(), quick });

  it('drives any machine to its end', async () => {
    const { engine, ...press } = await shop(true);
    const made = await engine.create({
      tenant,
      id: 'a',
      sessionKey: 's',
      input: { pages: 3 },
      options: { machine: 'print' },
      *writes() {},
    });
    expect(made.path).toBe('printing');
    await until(async () => (await press.store.query('loadRun', { tenant, id: 'a' }))?.ended);
    const row = await press.store.query('loadRun', { tenant, id: 'a' });
    expect([row?.state, row?.output, row?.seq]).toEqual(['"done"', '{"printed":3}', 4]);
  });

  it('commits an effect before it performs it', async () => {
    const press = await shop();
    await press.create('a');
    const { job } = await press.sheet('a:1');
    const row = await press.store.query('findEffect', { run: job.run.pk, n: 1 });
    expect(row).toMatchObject({ status: 'started', attempt: 1, name: 'effect.print' });
    expect(job).toMatchObject({ attempt: 1, interrupted: false, idempotencyKey: 'a:1' });
  });

  it('reports no transition before it is durable', async () => {
    const press = await shop();
    const seen: unknown[] = [];
    press.bus.listen('a', ({ seq }) => {
      // Read without waiting: what the store shows now, not after a while.
      void press.store
        .query('loadRun', { tenant, id: 'a' })
        .then((row) => seen.push([seq, (row?.seq ?? 0) >= Number(seq)]));
    });
    await press.create('a');
    (await press.sheet('a:1')).done();
    await press.reaches('a', 'done');
    await quiet();
    expect(seen).toEqual([
      [1, true],
      [2, true],
    ]);
  });

  it('settles an effect with its fact, and closes what was aborted', async () => {
    const press = await shop();
    await press.create('a', { pages: 2 });
    (await press.sheet('a:1')).done();
    const { job } = await press.sheet('a:2');
    await press.send('a', 'job.cancel');
    expect(job.signal.aborted).toBe(true);
    expect(await press.effects('a')).toEqual(['1 done 1', '2 cancelled 1']);
  });

  it('drops a fact that comes a second time', async () => {
    const press = await shop();
    await press.create('a', { pages: 3 });
    await press.sheet('a:1');
    const fact = { event: { type: 'print.done', effectId: 1 } };
    expect((await press.engine.send(tenant, 'a', fact)).kind).toBe('moved');
    expect((await press.engine.send(tenant, 'a', fact)).kind).toBe('duplicate');
    expect((await press.context('a')).page).toBe(2);
  });

  it('drops the fact of an effect that was aborted', async () => {
    const press = await shop();
    await press.create('a');
    const sheet = await press.sheet('a:1');
    await press.send('a', 'job.cancel');
    sheet.done();
    await quiet();
    expect(await press.events('a')).toEqual(['job.start', 'job.cancel']);
  });

  it('drops a command that comes a second time under its key', async () => {
    const press = await shop();
    await press.create('a');
    const note = { event: { type: 'job.note' }, key: 'note-1' };
    expect((await press.engine.send(tenant, 'a', note)).kind).toBe('moved');
    expect((await press.engine.send(tenant, 'a', note)).kind).toBe('duplicate');
    expect((await press.engine.send(tenant, 'a', { ...note, key: 'note-2' })).kind).toBe('moved');
    expect((await press.context('a')).notes).toBe(2);
  });

  it('says of an event that the machine does not take that it was ignored, and writes nothing', async () => {
    const press = await shop();
    await press.create('a');
    const before = await press.row('a');
    expect((await press.send('a', 'job.clear')).kind).toBe('ignored');
    expect(await press.row('a')).toEqual(before);
  });

  it('says of a finished run that it has ended', async () => {
    const press = await shop(true);
    await press.create('a');
    await press.reaches('a', 'done');
    expect((await press.send('a', 'job.note')).kind).toBe('ended');
  });

  it('refuses runs that do not exist, and those of another tenant', async () => {
    const press = await shop();
    await press.create('a');
    await expect(press.send('b', 'job.note')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const foreign = press.engine.send(2, 'a', { event: { type: 'job.cancel' } });
    await expect(foreign).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await press.state('a')).toBe('printing');
  });

  it('gives events that come together an order, and loses none', async () => {
    const press = await shop();
    await press.create('a');
    const receipts = await Promise.all(Array.from({ length: 50 }, () => press.send('a', 'job.note')));
    expect(receipts.map((receipt) => receipt.row.seq)).toEqual(Array.from({ length: 50 }, (_, i) => i + 2));
    expect((await press.context('a')).notes).toBe(50);
  });

  it('numbers the transitions of many runs that commit together', async () => {
    const press = await shop(true);
    const ids = Array.from({ length: 30 }, (_, i) => `r${i}`);
    await Promise.all(ids.map((id) => press.create(id, { pages: 5 })));
    for (const id of ids) await press.reaches(id, 'done');
    for (const id of ids) {
      const { pk } = await press.row(id);
      const seqs = (await press.store.query('listEvents', { run: pk, after: 0, limit: 100 })).map(
        ({ seq }) => seq,
      );
      expect(seqs).toEqual([1, 2, 3, 4, 5, 6]);
    }
    expect(press.performed).toHaveLength(150);
  });

  it('writes domain rows in the commit of their transition', async () => {
    const press = await shop();
    const row = await press.create('a');
    await press.send('a', 'job.note');
    const rows = await Array.fromAsync(readMessages(press.store, row));
    expect(rows.map(({ seq, i, body }) => [seq, i, body])).toEqual([[2, 0, '{"text":"noted"}']]);
  });

  it('rolls everything back when something in the transaction throws', async () => {
    const press = await shop();
    const row = await press.create('a');
    const failing = {
      event: { type: 'job.note' },
      *writes() {
        throw new Error('no paper');
      },
    };
    await expect(press.engine.send(tenant, 'a', failing)).rejects.toThrow('no paper');
    expect([(await press.row('a')).seq, await press.events('a')]).toEqual([1, ['job.start']]);
    expect(await Array.fromAsync(readMessages(press.store, row))).toEqual([]);
    expect((await press.send('a', 'job.note')).kind).toBe('moved');
  });

  it('asks `before` in the same transaction, ahead of the machine', async () => {
    const press = await shop();
    await press.create('a');
    const refused = press.engine.send(tenant, 'a', {
      event: { type: 'job.cancel' },
      *before(row) {
        if (row.seq === 1) throw new Error('not yet');
      },
    });
    await expect(refused).rejects.toThrow('not yet');
    expect(await press.state('a')).toBe('printing');
  });

  it('keeps the state path and a hash of the context with every event', async () => {
    const press = await shop();
    const { pk } = await press.create('a', { pages: 2 });
    (await press.sheet('a:1')).jam();
    await press.reaches('a', 'jammed');
    const rows = await press.store.query('listEvents', { run: pk, after: 0, limit: 10 });
    expect(rows.map(({ path }) => path)).toEqual(['printing', 'jammed']);
    expect(new Set(rows.map(({ hash }) => hash)).size).toBe(2);
  });
});

describe('what an engine tells', () => {
  it('is every transition with its seq, path and event', async () => {
    const press = new Shop({ store: await inMemory() });
    const signals = heard(press.bus, 'a');
    await press.create('a');
    (await press.sheet('a:1')).done();
    await press.reaches('a', 'done');
    expect(signals).toMatchObject([
      { type: 'transition', seq: 1, path: 'printing', event: { type: 'job.start' }, ended: false },
      { type: 'transition', seq: 2, path: 'done', event: { type: 'print.done', effectId: 1 }, ended: true },
    ]);
  });

  it('includes what an effect says on the way', async () => {
    const press = new Shop({ store: await inMemory() });
    const signals = heard(press.bus, 'a');
    await press.create('a');
    const { job } = await press.sheet('a:1');
    job.signalWatchers({ type: 'ink', left: 3 });
    expect(signals.at(-1)).toEqual({ runId: 'a', effectId: 1, attempt: 1, type: 'ink', left: 3 });
  });
});

describe('the commands that a run takes now', () => {
  it('are those of its host that its state takes', async () => {
    const press = new Shop({ store: await inMemory() });
    await press.create('a');
    const allowed = async () => press.engine.allowed(await press.row('a')).map(({ type }) => type);
    expect(await allowed()).toEqual(['job.cancel', 'job.note']);
    (await press.sheet('a:1')).jam();
    await press.reaches('a', 'jammed');
    expect(await allowed()).toEqual(['job.cancel', 'job.clear']);
    await press.send('a', 'job.cancel');
    expect(await allowed()).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { Fold, replay } from '../../../src/engine/log/replay.ts';
import type { EventRow } from '../../../src/store/rows.ts';
import { shortHash } from '../../../src/text/ids.ts';
import { inMemory, Shop } from '../print-shop.ts';

async function finished() {
  const shop = new Shop({ store: await inMemory() });
  await shop.create('a', { pages: 2 });
  await shop.send('a', 'job.note');
  (await shop.sheet('a:1')).jam();
  await shop.reaches('a', 'jammed');
  await shop.send('a', 'job.clear');
  (await shop.sheet('a:2')).done();
  (await shop.sheet('a:3')).done();
  await shop.reaches('a', 'done');
  const row = await shop.row('a');
  const events = await shop.store.query('listEvents', { run: row.pk, after: 0, limit: 100 });
  return { host: shop.host, row, events };
}

const changed = (events: readonly EventRow[], seq: number, over: Partial<EventRow>) =>
  events.map((event) => (event.seq === seq ? { ...event, ...over } : event));

describe('replay', () => {
  it('folds a log to its run, and executes nothing', async () => {
    const { host, row, events } = await finished();
    expect(events).toHaveLength(6);
    expect(replay(host, row, events)).toEqual({ diverged: null, folded: 6 });
  });

  it('folds any beginning of a log', async () => {
    const { host, row, events } = await finished();
    const beginning = events.slice(0, 3);
    const fold = Fold.of(host, row, beginning);
    const folded = beginning.map((event) => fold.next(event));
    expect(folded.map(({ event }) => event.seq)).toEqual([1, 2, 3]);
    expect(folded.at(-1)?.snapshot.value).toBe('jammed');
  });

  it.each([
    ['another state', { path: 'jammed' }, { seq: 2, what: 'path', stored: 'jammed', folded: 'printing' }],
    ['another context', { hash: '00000000000' }, { seq: 2, what: 'hash', stored: '00000000000' }],
    ['an event that is ignored', { type: 'job.clear' }, { seq: 2, what: 'ignored' }],
  ])('names the seq where %s begins', async (_, over, diverged) => {
    const { host, row, events } = await finished();
    expect(replay(host, row, changed(events, 2, over)).diverged).toMatchObject(diverged);
  });

  it('names a gap', async () => {
    const { host, row, events } = await finished();
    const gap = events.filter(({ seq }) => seq !== 3);
    expect(replay(host, row, gap).diverged).toMatchObject({ seq: 4, what: 'gap', folded: '3' });
  });

  it.each([
    ['state', { state: '"jammed"' }, '"done"'],
    ['context', { context: '{}' }, expect.stringContaining('"pages":2')],
    ['seq', { seq: 7 }, '6'],
    ['ended', { ended: 0 }, '1'],
    ['output', { output: '{"pages":99}' }, expect.any(String)],
  ])('names a %s of the run that its log does not account for', async (field, over, folded) => {
    const { host, row, events } = await finished();
    const diverged = { seq: 6, what: 'row', field, folded };
    expect(replay(host, { ...row, ...over }, events).diverged).toMatchObject(diverged);
  });

  it('names an event that is no JSON', async () => {
    const { host, row, events } = await finished();
    const diverged = { seq: 4, what: 'broken', stored: '{"n' };
    expect(replay(host, row, changed(events, 4, { body: '{"n' })).diverged).toMatchObject(diverged);
  });

  it('takes the same secrets out of a context that were taken out before it was stored', async () => {
    const { host, row, events } = await finished();
    const redact = (text: string) => text.replaceAll('pages', '[redacted:WORD]');
    const context = redact(row.context);
    const hidden = changed(events, 6, { hash: shortHash(context) });
    expect(replay(host, { ...row, context }, hidden, redact).diverged).toBeNull();
    expect(replay(host, { ...row, context }, hidden).diverged).toMatchObject({ seq: 6, what: 'hash' });
  });
});

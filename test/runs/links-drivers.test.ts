import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDrivers } from '../../src/cluster/process-ownership.ts';
import { openSqlite } from '../../src/store/sql/sqlite.ts';
import { randomId } from '../../src/text/ids.ts';
import { registerIn } from '../support/sole-ownership.ts';
import { until } from './drivers-support.ts';
import { type ErrandOptions, Errands } from './errands.ts';

/** Makes drivers of one database, each with a lock and a socket of its own, as another process has them. */
async function database() {
  const folder = await mkdtemp(join(tmpdir(), 'detent-links-'));
  const file = join(folder, 'detent.db');
  const closing: (() => Promise<unknown>)[] = [];
  onTestFinished(async () => {
    for (const close of closing.reverse()) await close();
    await rm(folder, { recursive: true, force: true });
  });
  return async (options: Partial<ErrandOptions> = {}) => {
    const store = await openSqlite({ file, synchronous: 'NORMAL' });
    const { ownership, hints, dispatcher, close } = openDrivers({
      file,
      store,
      newName: () => randomId('drv'),
      register: registerIn(store),
    });
    const errands = new Errands({ store, ownership, hints, dispatcher, isWatching: true, ...options });
    closing.push(async () => {
      await errands.stop();
      await close();
      await store.close();
    });
    return { errands, leave: close };
  };
}

const reached = (errands: Errands, id: string, state: string) =>
  until(
    () => errands.state(id),
    (found) => found === state,
  );

it('is told by another process, which drives all, when the one has died that waited for it', async () => {
  const join = await database();
  const { errands: first, leave } = await join();
  const { errands: second } = await join();
  await second.resume();
  await first.start('a', 1);
  await first.rests('a');
  const { lastDriver } = await first.row('a');
  await first.die();
  await leave();
  await until(
    () => second.row('a.c1'),
    ({ driver }) => driver === second.engine.me,
  );
  expect((await second.row('a')).lastDriver).toBe(lastDriver);
  await second.answer('a.c1', 'bread');
  await reached(second, 'a', 'done');
  expect([await second.letters('a'), second.reports]).toEqual([[], []]);
});

it('is told by the process that waits for it, when another one drove it to its end, or is left by it', async () => {
  const join = await database();
  const { errands: other } = await join();
  const { errands } = await join({
    beginning: async ({ run }) => {
      const link = { parentRunId: run.id, parentCall: 'c1', linked: true };
      await other.start(`${run.id}.c1`, 0, link);
    },
  });
  for (const id of ['a', 'b']) {
    await errands.start(id, 1);
    await until(
      () => errands.effects(id),
      (effects) => effects.includes('1 linked 1'),
    );
    expect(other.engine.drives(await other.row(`${id}.c1`))).toBe(true);
  }
  await other.answer('a.c1', 'bread');
  await reached(errands, 'a', 'done');
  await errands.commands.cancel(1, 'b', 'no more');
  await reached(errands, 'b.c1', 'cancelled');
  expect([errands.reports, other.reports]).toEqual([[], []]);
});

it('is cancelled by a process that drives nothing, when no other lives', async () => {
  const join = await database();
  const { errands: first, leave } = await join();
  await first.start('a', 1);
  await first.rests('a');
  await first.stop();
  await leave();
  const { errands: visitor } = await join();
  expect(await visitor.commands.cancel(1, 'a')).toBe(true);
  await reached(visitor, 'a.c1', 'cancelled');
  expect(visitor.engine.me).toBe(null);
});

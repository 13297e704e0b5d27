import { describe, expect, it } from 'vitest';
import { replay } from '../../src/engine/log/replay.ts';
import { createMachineHosts } from '../../src/engine/machine/machine-hosts.ts';
import type { Program } from '../../src/store/program.ts';
import { openInMemory } from '../../src/store/sql/in-memory.ts';
import type { Store } from '../../src/store/store.ts';
import { quiet } from '../engine/print-shop.ts';
import { Errands } from './errands.ts';

/** A store for a process that is killed: after so many commits nothing that it asks is answered. */
class DyingStore implements Store {
  readonly #store: Store;
  #left: number;
  commits = 0;

  constructor(store: Store, left: number) {
    this.#store = store;
    this.#left = left;
  }

  async commit<T>(program: () => Program<T>): Promise<T> {
    if (this.#left <= 0) return new Promise(() => {});
    this.#left--;
    this.commits++;
    const value = await this.#store.commit(program);
    // Dead before it hears of its last commit.
    return this.#left > 0 ? value : new Promise(() => {});
  }

  query: Store['query'] = (name, input) =>
    this.#left > 0 ? this.#store.query(name, input) : new Promise(() => {});

  async close(): Promise<void> {}
}

/** What happens to run `a`, which passes its errand on twice: it is answered, cancelled, or leaves the run that it began. */
const ways = {
  'is answered': async (errands: Errands) => {
    void errands.answer('a.c1.c1', 'bread').catch(() => {});
  },
  'is cancelled': async (errands: Errands) => {
    void errands.commands.cancel(1, 'a').catch(() => {});
  },
  'leaves the run': async (errands: Errands) => {
    void errands.send('a', { type: 'errand.leave' }).catch(() => {});
  },
};

/** A run's life in one process, which is killed after so many commits. Resolves with how many it made. */
async function life(
  store: Store,
  commits: number,
  way: (errands: Errands) => Promise<void>,
): Promise<number> {
  const dying = new DyingStore(store, commits);
  const errands = new Errands({ store: dying, isKilled: true });
  void errands.start('a', 2).catch(() => {});
  await quiet(60);
  const child = await store.query('loadRun', { tenant: 1, id: 'a.c1.c1' });
  if (child && JSON.parse(child.state) === 'walking') await way(errands);
  await quiet(60);
  await errands.die();
  return dying.commits;
}

describe.each(Object.entries(ways))('a run that waits for others, and %s', (name, way) => {
  it('comes to its end wherever its process is killed, and so do they', async () => {
    const all = await life(openInMemory(), Number.POSITIVE_INFINITY, way);
    expect(all).toBeGreaterThan(8);
    const ends = new Set<string>();
    for (let commits = 1; commits <= all; commits++) {
      const store = openInMemory();
      await life(store, commits, way);
      const next = new Errands({ store });
      if (!(await store.query('loadRun', { tenant: 1, id: 'a' }))) continue;
      await next.resume();
      await quiet(60);
      // Whoever still walks gets an answer now.
      for (let id = 'a'; await store.query('loadRun', { tenant: 1, id }); id += '.c1')
        if ((await next.state(id)) === 'walking') await next.answer(id, 'late');
      await quiet(60);
      for (let id = 'a'; await store.query('loadRun', { tenant: 1, id }); id += '.c1') {
        const { ended, pk: run } = await next.row(id);
        const events = await store.query('listEvents', { run, after: 0, limit: 100 });
        const at = `${id}, killed after ${commits} commits`;
        expect([at, ended, await next.letters(id)]).toEqual([at, 1, []]);
        expect(await store.query('listOpenEffects', { run })).toEqual([]);
        const replayed = replay(createMachineHosts([next.host]), await next.row(id), events);
        expect(replayed.diverged).toBeNull();
      }
      expect(next.reports).toEqual([]);
      ends.add(await next.state('a'));
      await next.stop();
    }
    console.info(`${name}: killed after each of ${all} commits, ended as ${[...ends].join(', ')}`);
  });
});

import { describe, expect, it } from 'vitest';
import { AbandonedRuns } from '../../../src/cluster/abandoned-runs.ts';
import type { Driver } from '../../../src/engine/drive/driver.ts';
import { Lookout } from '../../../src/engine/drive/lookout.ts';
import type { AbandonedRun, RunRow } from '../../../src/store/rows.ts';

/** A lookout among so many runs that want a driver, each in a session of its own; what it reads and takes. */
function lookoutAmong(
  count: number,
  { covers = () => true, refuses = () => false, drivers = [], isOnServer = false }: Given = {},
) {
  const all = Array.from({ length: count }, (_, i): AbandonedRun => {
    const pk = i + 1;
    return { pk, tenant: 1, id: `r${pk}`, session: pk, lastDriver: null, updatedAt: 0 };
  });
  const taken = new Set<string>();
  const read: string[] = [];
  const attended: number[] = [];
  let [portions, sweeps, now] = [0, 0, 0];
  const statements: Record<
    string,
    (input: { after: number; limit: number; id: string; epoch: number }) => unknown
  > = {
    findDriver: ({ epoch }) => (epoch <= 1 ? { endedAt: null } : undefined),
    listAbandonedRuns({ after, limit }) {
      portions++;
      return all.filter(({ pk, id }) => pk > after && !taken.has(id)).slice(0, limit);
    },
    loadRun({ id }) {
      read.push(id);
      return all.find((run) => run.id === id);
    },
    listOwnHeads: () => [],
    listBegunRunsOf() {
      sweeps++;
      return [];
    },
    listDrivers: () => drivers,
  };
  const parts = {
    store: {
      query: async (name: string, input: never) => statements[name]?.(input),
      ...(isOnServer && { checkThere: async () => {} }),
    },
    ownership: { me: 1, seemsAlive: () => false },
    clock: { now: () => now },
  };
  const driver = {
    options: {
      ...parts,
      dispatcher: new AbandonedRuns(parts.store as never),
      whyRefused: ({ pk }: RunRow) => (refuses(pk) ? new Error('it lacks a tool') : null),
      hosts: { migrationPathOf() {} },
      hints: { attend: (epoch: number) => attended.push(epoch) },
    },
    neighbours: { alive: async () => drivers },
    sessions: { covers, keys: () => [] },
    async takeAll(rows: RunRow[]) {
      for (const { id } of rows) taken.add(id);
    },
    wants: ({ pk }: RunRow) => !refuses(pk),
    timers: { check: async () => {}, reconsider() {} },
  } as unknown as Driver;
  const lookout = new Lookout(driver);
  return {
    look: (isProbe: boolean) => lookout.look(1, isProbe),
    /** How often it looked for runs of its own that it had dropped, in a minute of looks. */
    async sweepsInAMinute() {
      for (const until = now + 60_000; now < until; now += 1_000) await lookout.look(1, false);
      return sweeps;
    },
    /** The drivers that were attended since the last call. */
    attended: () => attended.splice(0),
    /** What was read and taken since the last call. */
    seen() {
      const found = { taken: taken.size, read: read.length, portions };
      read.length = 0;
      portions = 0;
      return found;
    },
  };
}

interface Given {
  covers?: (session: number) => boolean;
  refuses?: (pk: number) => boolean;
  isOnServer?: boolean;
  /** Those that live. */
  drivers?: { epoch: number }[];
}

describe('a driver among others', () => {
  it('attends each of them at once, and all again with a probe, because a connection may be lost', async () => {
    const drivers = [{ epoch: 1 }, { epoch: 2 }];
    const { look, attended } = lookoutAmong(0, { drivers });
    await look(false);
    expect(attended()).toEqual([2]);
    drivers.push({ epoch: 3 });
    await look(false);
    expect(attended()).toEqual([3]);
    await look(true);
    expect(attended()).toEqual([2, 3]);
  });
});

describe('a driver that looks for own runs that it has dropped', () => {
  it('does so now and then where the answer to a commit can be lost: on a server', async () => {
    expect(await lookoutAmong(0, { isOnServer: true }).sweepsInAMinute()).toBe(3);
    expect(await lookoutAmong(0).sweepsInAMinute()).toBe(0);
  });
});

describe('a driver that looks for runs that want one', () => {
  it('takes them all, in portions', async () => {
    const { look, seen } = lookoutAmong(1200);
    await look(false);
    expect(seen()).toEqual({ taken: 1200, read: 1200, portions: 3 });
  });

  it('reads no run whole of a session that it does not drive, and looks beyond the first portion with a probe', async () => {
    const { look, seen } = lookoutAmong(1200, { covers: (session) => session === 1100 });
    await look(false);
    expect(seen()).toEqual({ taken: 0, read: 0, portions: 1 });
    await look(true);
    expect(seen()).toEqual({ taken: 1, read: 1, portions: 3 });
  });

  it('reads a run once that it must leave to others', async () => {
    const { look, seen } = lookoutAmong(3, { refuses: (pk) => pk !== 2 });
    await look(true);
    expect(seen()).toEqual({ taken: 1, read: 3, portions: 1 });
    await look(true);
    expect(seen()).toEqual({ taken: 1, read: 0, portions: 1 });
  });
});

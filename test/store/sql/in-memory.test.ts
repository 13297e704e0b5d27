import { describe, expect, it, vi } from 'vitest';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import { describeStore } from '../conformance.ts';
import { driverInput, put } from '../rows.ts';
import { otherTenant } from '../two-tenants.ts';

describeStore('SQLite in memory', async () => {
  const store = openInMemory();
  await put(store, 'insertTenant', otherTenant);
  return store;
});

describe('SQLite in memory', () => {
  it('shares nothing with another', async () => {
    const store = openInMemory();
    await put(store, 'insertDriver', driverInput());
    expect(await openInMemory().query('listDrivers', {})).toEqual([]);
  });

  it('commits although a test fakes the timers', async () => {
    vi.useFakeTimers();
    try {
      const store = openInMemory();
      for (let pid = 1; pid <= 200; pid++) await put(store, 'insertDriver', driverInput({ pid }));
      expect(await store.query('findDriver', { epoch: 200 })).toMatchObject({ pid: 200 });
    } finally {
      vi.useRealTimers();
    }
  });
});

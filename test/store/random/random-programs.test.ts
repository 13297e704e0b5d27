import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openPostgres } from '../../../src/store/postgres.ts';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import type { Store } from '../../../src/store/store.ts';
import { newDatabase } from '../../support/postgres.ts';
import { propertySeed } from '../../support/seed.ts';
import { inSizes } from '../../support/size.ts';
import { put } from '../rows.ts';
import { Model } from './model.ts';
import { programs, programsInTenant } from './programs.ts';
import { Subject } from './subject.ts';

const counts = {
  SQLite: inSizes({ usual: 250, deep: 1_000, full: 5_000 }),
  PostgreSQL: inSizes({ usual: 40, deep: 200, full: 5_000 }),
};

const stores: readonly [name: keyof typeof counts, open: () => Promise<Store>][] = [
  ['SQLite', async () => openInMemory()],
  ['PostgreSQL', async () => openPostgres({ url: await newDatabase(), connections: 2 })],
];

describe.each(stores)('random programs on %s', (name, open) => {
  it('answer what a plain model of the store answers', async () => {
    const store = await open();
    let tenants = 0;
    let committed = 0;
    let failed = 0;
    const property = fc.asyncProperty(programs, async (all) => {
      const { id } = await put(store, 'insertTenant', { name: `tenant ${++tenants}`, workspace: null });
      const [model, subject] = [new Model(), new Subject(store, id)];
      for (const { ops, fails } of all) {
        const answers = model.perform(ops, fails);
        expect(await subject.perform(ops, fails)).toEqual(answers);
        if (answers) committed++;
        else failed++;
      }
    });
    await fc.assert(property, {
      numRuns: Math.ceil(counts[name] / programsInTenant),
      ...(propertySeed !== undefined && { seed: propertySeed }),
    });
    console.log(`random programs on ${name}: ${committed} committed, ${failed} failed as the model says`);
    expect(committed).toBeGreaterThan(counts[name] / 4);
    expect(failed).toBeGreaterThan(counts[name] / 20);
    await store.close();
  });
});

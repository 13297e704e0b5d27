import { LRUCache } from 'lru-cache';
import type { Detent } from '../../index.ts';
import { DetentError } from '../../protocol/error.ts';

const maxKnown = 10_000;

/** Finds the tenant of a name, or makes it. A tenant is never deleted or renamed, so what was found once stays true. */
export function namedTenants({ tenants }: Pick<Detent, 'tenants'>): (name: string) => Promise<number> {
  const known = new LRUCache<string, number>({ max: maxKnown });
  const made = async (name: string) => {
    try {
      return await tenants.create({ name });
    } catch (error) {
      // Another process was first.
      const found = DetentError.is(error) && error.code === 'TENANT_EXISTS' && (await tenants.find(name));
      if (found) return found;
      throw error;
    }
  };
  return async (name) => {
    const id = known.get(name) ?? ((await tenants.find(name)) ?? (await made(name))).id;
    known.set(name, id);
    return id;
  };
}

import type { MemoryPlace } from '../../protocol/ports.ts';
import type { Core } from '../config/core.ts';

const pageJobs = 100;

/** What is kept of users beside the rows of their sessions. */
export function belongingsOf({ memory, conversations, jobs, tenants, shop }: Core) {
  const placeOf = async (tenant: number, user: string) => ({ ...(await tenants(tenant)).memoryFolder, user });
  return {
    isKept: async (tenant: number, user: string) => memory.isKept(await placeOf(tenant, user)),
    handOver: async (tenant: number, from: string, to: string) =>
      memory.handOver(await placeOf(tenant, from), await placeOf(tenant, to)),
    claimCart: (tenant: number, from: string, to: string) => shop?.users.claim(tenant, from, to),
    forgetCart: (tenant: number, user: string) => shop?.users.forget(tenant, user),
    eraseMemory: async (tenant: number, user: string) => memory.erase(await placeOf(tenant, user)),
    eraseIndex: (tenant: number) => conversations.eraseGone(tenant),
    async removeJobs(tenant: number, user: string) {
      for (;;) {
        const found = await jobs.list(tenant, { user, limit: pageJobs });
        if (found.length === 0) return;
        for (const job of found) await jobs.remove(tenant, job);
      }
    },
  };
}

/** The same, to be read. */
export function besideOf({ memory, jobs, tenants, shop }: Core, tenant: number, user: string) {
  return {
    async *memory() {
      const place: MemoryPlace = { ...(await tenants(tenant)).memoryFolder, user };
      for (const { path } of (await memory.files(place)).files) {
        const { text } = await memory.get(place, path, { limit: Number.MAX_SAFE_INTEGER });
        yield { path, text };
      }
    },
    async *shop() {
      const { cart = null, identities = [] } = shop?.users.export(tenant, user) ?? {};
      if (cart !== null) yield { type: 'cart', ...cart };
      for (const identity of identities) yield { type: 'customer', ...identity };
    },
    async *jobs() {
      for (const { row, context } of await jobs.list(tenant, { user, limit: Number.MAX_SAFE_INTEGER }))
        yield { jobId: row.id, definition: context.definition };
    },
  };
}

import { join, parse } from 'node:path';
import { defaultTenant } from '../../protocol/access.ts';
import type { MemoryFolder, MemoryPlace } from '../../protocol/ports.ts';
import { hex, sha256 } from '../../text/ids.ts';

/**
 * The folder with `MEMORY.md` and `memory/`. This is the workspace. Tenants without one have a folder in the runtime's
 * own folder, which no file tool can reach, so that tenants cannot read each other's memory. There each user has one, too: what
 * a run for a user remembers is of that user's conversation.
 */
export function memoryHome({ workspace, tenant, user }: MemoryPlace): string {
  const own = join(workspace, '.detent', 'tenants', String(tenant));
  if (user !== null) return join(own, 'users', folderOf(user));
  return tenant === defaultTenant ? workspace : own;
}

/** A hash, because the id of a user may have any characters, and file systems may take two ids for one. */
function folderOf(user: string): string {
  return hex(sha256(user)).slice(0, 32);
}

/**
 * Where the memories of a tenant are.
 *
 * @param opened the folder that was opened
 * @param workspace the tenant's own; null when it has none
 */
export function memoryFolder(opened: string, workspace: string | null, tenant: number): MemoryFolder {
  return workspace === null ? { workspace: opened, tenant } : { workspace, tenant: defaultTenant };
}

/**
 * The index file of a home. It is separate from the main database for three reasons. It can be deleted at any time
 * without loss. It needs FTS5, which the stores do not have. And every process that searches writes it, without the lock
 * of the process that drives the runs.
 */
export function indexFileOf(home: string): string {
  return join(home, '.detent', 'memory.db');
}

/**
 * The index file of each tenant's conversations. It is beside their database, so that two stores never share one. It can
 * be deleted at any time, too.
 *
 * @param database the database file; null for a store without one, whose index is in memory.
 */
export function conversationIndexes(database: string | null): (tenant: number) => string {
  if (database === null || database === ':memory:') return (tenant) => `:memory:${tenant}`;
  const { dir, name } = parse(database);
  return (tenant) => join(dir, `${name}.search-${tenant}.db`);
}

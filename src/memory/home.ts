import { join, parse } from 'node:path';
import { defaultTenant } from '../protocol/tenant.ts';

/**
 * The folder with `MEMORY.md` and `memory/`. For tenant 1 this is the workspace. Other tenants have one in the runtime's
 * own folder, which no file tool can reach, so that tenants cannot read each other's memory.
 */
export function memoryHome(workspace: string, tenant: number): string {
  return tenant === defaultTenant ? workspace : join(workspace, '.detent', 'tenants', String(tenant));
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

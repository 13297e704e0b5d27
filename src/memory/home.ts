import { join, parse } from 'node:path';
import { defaultTenant } from '../protocol/tenant.ts';

/**
 * The folder that has `MEMORY.md` and `memory/`: the workspace; of other tenants one in the runtime's own folder, which no
 * file tool can reach, so that nobody reads what is remembered of another.
 */
export function memoryHome(workspace: string, tenant: number): string {
  return tenant === defaultTenant ? workspace : join(workspace, '.detent', 'tenants', String(tenant));
}

/**
 * Where the index of a home is: a file of its own beside the main database, and not tables in it. It can be deleted at any
 * time without loss, needs FTS5 (which no other store has), and is written by whoever searches, beside a process that
 * drives the runs and without its lock.
 */
export function indexFileOf(home: string): string {
  return join(home, '.detent', 'memory.db');
}

/**
 * Where the conversations of each tenant are indexed: beside the database that has them, so that the index of one store is
 * never taken for that of another. It can be deleted at any time, too.
 *
 * @param database its file; null for a store that has none, whose index is in memory.
 */
export function conversationIndexes(database: string | null): (tenant: number) => string {
  if (database === null || database === ':memory:') return (tenant) => `:memory:${tenant}`;
  const { dir, name } = parse(database);
  return (tenant) => join(dir, `${name}.search-${tenant}.db`);
}

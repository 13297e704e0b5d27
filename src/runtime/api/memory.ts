import { defaultTenant } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { shown } from '../../protocol/json.ts';
import type {
  MemoryFiles,
  MemoryPlace,
  MemorySearch,
  MemoryTarget,
  MemoryText,
} from '../../protocol/ports.ts';
import type { Core, TenantPartsOf } from '../config/core.ts';

interface Whose {
  tenantId?: number;
  /** Null, or left out: the memory of the tenant. */
  userId?: string | null;
}

/**
 * Memory in Markdown files, which lasts between conversations. Every tenant has its own; `tenantId` defaults to 1. With a
 * `userId` it is that user's. Throws `INVALID_ARGUMENTS` for a `userId` that is no text.
 */
export interface DetentMemory {
  /** Searches for one query, or for up to four wordings of it. Throws `INVALID_ARGUMENTS`, `MEMORY_INDEX_FAILED`. */
  search(query: string | readonly string[], options?: { limit?: number } & Whose): Promise<MemorySearch>;
  /** Lists its files, by path. */
  files(options?: Whose): Promise<MemoryFiles>;
  /**
   * Reads lines of `MEMORY.md`, or of a Markdown file under `memory/`. Throws `MEMORY_PATH`, `NOT_FOUND`, `PAST_END`.
   */
  get(path: string, options?: { line?: number; limit?: number } & Whose): Promise<MemoryText>;
  /** Adds lines as a person would, to the file of the day or to `memory/MEMORY.md`. Throws `MEMORY_BUSY`. */
  write(
    lines: readonly string[],
    options?: { to?: MemoryTarget } & Whose,
  ): Promise<{ path: string; lines: number }>;
}

/**
 * @param core opens the parts on first use.
 *
 * @internal
 */
export function memoryApi(
  core: () => Promise<Pick<Core, 'memory' | 'tenants' | 'clock' | 'redact'>>,
): DetentMemory {
  return {
    async search(query, { limit, ...whose } = {}) {
      const { memory, tenants } = await core();
      const place = await memoryPlaceOf(tenants, whose);
      return memory.search(place, typeof query === 'string' ? [query] : query, limit);
    },
    async files(whose = {}) {
      const { memory, tenants } = await core();
      return memory.files(await memoryPlaceOf(tenants, whose));
    },
    async get(path, { tenantId, userId, ...range } = {}) {
      const { memory, tenants } = await core();
      return memory.get(await memoryPlaceOf(tenants, { tenantId, userId }), path, range);
    },
    async write(lines, { to, ...whose } = {}) {
      const { memory, tenants, clock, redact } = await core();
      const written = lines.map((line) => ({ text: redact(line), isUntrusted: false }));
      return memory
        .of(await memoryPlaceOf(tenants, whose))
        .write(written, { at: clock.now(), key: null, to });
    },
  };
}

async function memoryPlaceOf(
  tenants: TenantPartsOf,
  { tenantId = defaultTenant, userId: user = null }: Whose,
): Promise<MemoryPlace> {
  if (user === null || typeof user === 'string') return { ...(await tenants(tenantId)).memoryFolder, user };
  throw new DetentError('INVALID_ARGUMENTS', `userId is a text, not ${shown(user)}`);
}

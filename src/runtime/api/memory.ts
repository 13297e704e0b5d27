import type { MemorySearch, MemoryTarget, MemoryText } from '../../ports/memory-source.ts';
import { defaultTenant } from '../../protocol/tenant.ts';
import type { Core } from '../core.ts';

/** Memory in Markdown files, which lasts between conversations. Every tenant has its own; `tenantId` defaults to 1. */
export interface DetentMemory {
  /** Searches for one query, or for up to four wordings of it. Throws `INVALID_ARGUMENTS`, `MEMORY_INDEX_FAILED`. */
  search(
    query: string | readonly string[],
    options?: { limit?: number; tenantId?: number },
  ): Promise<MemorySearch>;
  /**
   * Reads lines of `MEMORY.md`, or of a Markdown file under `memory/`. Throws `MEMORY_PATH`, `NOT_FOUND`, `PAST_END`.
   */
  get(path: string, options?: { line?: number; limit?: number; tenantId?: number }): Promise<MemoryText>;
  /** Adds lines as a person would, to the file of the day or to `memory/MEMORY.md`. Throws `MEMORY_BUSY`. */
  write(
    lines: readonly string[],
    options?: { to?: MemoryTarget; tenantId?: number },
  ): Promise<{ path: string; lines: number }>;
}

/**
 * @param core opens the parts on first use.
 *
 * @internal
 */
export function memoryApi(
  core: () => Promise<Pick<Core, 'memory' | 'workspace' | 'clock' | 'redact'>>,
): DetentMemory {
  return {
    async search(query, { limit, tenantId: tenant = defaultTenant } = {}) {
      const { memory, workspace } = await core();
      return memory.search({ workspace, tenant }, typeof query === 'string' ? [query] : query, limit);
    },
    async get(path, { tenantId: tenant = defaultTenant, ...range } = {}) {
      const { memory, workspace } = await core();
      return memory.get({ workspace, tenant }, path, range);
    },
    async write(lines, { to, tenantId: tenant = defaultTenant } = {}) {
      const { memory, workspace, clock, redact } = await core();
      const written = lines.map((line) => ({ text: redact(line), isUntrusted: false }));
      return memory.of({ workspace, tenant }).write(written, { at: clock.now(), key: null, to });
    },
  };
}

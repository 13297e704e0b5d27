import { dirname, join } from 'node:path';
import { DetentError, fileBusy, messageOf } from '../../protocol/error.ts';
import { isObject } from '../../protocol/json.ts';
import { makePrivateFolder, readWhole, rewriteJson } from '../../text/files.ts';
import { hex, sha256 } from '../../text/ids.ts';
import type { ListedTool } from './connect.ts';

/** By server, then by the server's own tool name: the hash of the tool when it was first used, or accepted. */
type Pinned = Record<string, Record<string, string>>;

/**
 * Hashes of the tools of servers at first use. A server can change a tool's description at any time, and so inject
 * instructions into prompts: a person must accept a changed tool before models see it again.
 */
export class Pins {
  readonly #file: string;
  readonly #writes: boolean;

  /** @param writes false only compares: it stores nothing, and unknown tools count as unchanged */
  constructor(workspace: string, writes = true) {
    this.#file = join(workspace, '.detent', 'mcp-pins.json');
    this.#writes = writes;
  }

  /**
   * Stores the hashes of new tools, and returns the names of the changed ones.
   *
   * @throws DetentError `MCP_PINS_UNREADABLE`; then no tool of the server may be used. `FILE_BUSY`.
   */
  async check(server: string, tools: readonly ListedTool[]): Promise<ReadonlySet<string>> {
    const known = (await this.#read())[server] ?? {};
    if (!this.#writes || tools.every(({ name }) => Object.hasOwn(known, name)))
      return changedOf(tools, known);
    let changed: ReadonlySet<string> = new Set();
    await this.#change((pinned) => {
      // Another process may have met these tools meanwhile: what it stored counts.
      const known = pinned[server] ?? {};
      changed = changedOf(tools, known);
      const fresh = tools.filter(({ name }) => !Object.hasOwn(known, name));
      return { ...pinned, [server]: { ...known, ...hashesOf(fresh) } };
    });
    return changed;
  }

  /** Accepts these tools as they are now. @throws DetentError `MCP_PINS_UNREADABLE`, `FILE_BUSY`. */
  accept(server: string, tools: readonly ListedTool[]): Promise<void> {
    return this.#change((pinned) => ({ ...pinned, [server]: { ...pinned[server], ...hashesOf(tools) } }));
  }

  /** Processes share the file, and each writes it whole. */
  async #change(change: (before: Pinned) => Pinned): Promise<void> {
    makePrivateFolder(dirname(this.#file));
    await rewriteJson(
      this.#file,
      async () => change(await this.#read()),
      () => fileBusy(this.#file),
    );
  }

  async #read(): Promise<Pinned> {
    try {
      const pinned: unknown = JSON.parse((await readWhole(this.#file)).toString());
      if (isObject(pinned) && Object.values(pinned).every(isObject)) return pinned as Pinned;
      throw new Error('it is not an object of objects');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      throw new DetentError(
        'MCP_PINS_UNREADABLE',
        `${this.#file} cannot be read (${messageOf(error)}); repair it, or delete it to accept all tools as they are now`,
        { cause: error },
      );
    }
  }
}

/** The names of the tools that are not as they were stored. */
function changedOf(tools: readonly ListedTool[], known: Record<string, string>): ReadonlySet<string> {
  const changed = tools.filter(
    (tool) => Object.hasOwn(known, tool.name) && known[tool.name] !== hashOf(tool),
  );
  return new Set(changed.map(({ name }) => name));
}

function hashesOf(tools: readonly ListedTool[]): Record<string, string> {
  return Object.fromEntries(tools.map((tool) => [tool.name, hashOf(tool)]));
}

/** The hash covers everything that models read about the tool, and the hints that set its class. */
function hashOf({ description, inputSchema, annotations }: ListedTool): string {
  return hex(sha256(JSON.stringify(sorted({ description, inputSchema, annotations }))));
}

/** Servers may list the keys of the same schema in any order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

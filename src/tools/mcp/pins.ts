import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { readWhole } from '../../files/open-to-read.ts';
import { makePrivateFolder, privateFileMode } from '../../files/private-files.ts';
import { replaceFile } from '../../files/replace-file.ts';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { isObject } from '../../protocol/json.ts';
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
  #writing: Promise<unknown> = Promise.resolve();

  /** @param writes false only compares: it stores nothing, and unknown tools count as unchanged */
  constructor(workspace: string, writes = true) {
    this.#file = join(workspace, '.detent', 'mcp-pins.json');
    this.#writes = writes;
  }

  /**
   * Stores the hashes of new tools, and returns the names of the changed ones.
   *
   * @throws DetentError `MCP_PINS_UNREADABLE`; then no tool of the server may be used.
   */
  check(server: string, tools: readonly ListedTool[]): Promise<ReadonlySet<string>> {
    return this.#inTurn(async () => {
      const pinned = await this.#read();
      const known = pinned[server] ?? {};
      const fresh = tools.filter(({ name }) => !Object.hasOwn(known, name));
      if (fresh.length > 0 && this.#writes)
        await this.#write({ ...pinned, [server]: { ...known, ...hashesOf(fresh) } });
      return new Set(
        tools
          .filter((tool) => Object.hasOwn(known, tool.name) && known[tool.name] !== hashOf(tool))
          .map(({ name }) => name),
      );
    });
  }

  /** Accepts these tools as they are now. @throws DetentError `MCP_PINS_UNREADABLE`. */
  accept(server: string, tools: readonly ListedTool[]): Promise<void> {
    return this.#inTurn(async () => {
      const pinned = await this.#read();
      await this.#write({ ...pinned, [server]: { ...pinned[server], ...hashesOf(tools) } });
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#writing.then(work);
    this.#writing = done.catch(() => {});
    return done;
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

  async #write(pinned: Pinned): Promise<void> {
    makePrivateFolder(dirname(this.#file));
    await replaceFile(this.#file, `${JSON.stringify(pinned, null, 2)}\n`, { mode: privateFileMode });
  }
}

function hashesOf(tools: readonly ListedTool[]): Record<string, string> {
  return Object.fromEntries(tools.map((tool) => [tool.name, hashOf(tool)]));
}

/** The hash covers everything that models read about the tool, and the hints that set its class. */
function hashOf({ description, inputSchema, annotations }: ListedTool): string {
  const visible = JSON.stringify(sorted({ description, inputSchema, annotations }));
  return createHash('sha256').update(visible).digest('hex');
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

import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../files/replace-file.ts';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { isObject } from '../../protocol/json.ts';
import type { ListedTool } from './connect.ts';

/** By server, then by the server's own name of the tool: what it was when it was first used, or accepted. */
type Pinned = Record<string, Record<string, string>>;

/**
 * What tools of servers said of themselves when they were first used. A server can change that at any time, and with it
 * what a model is told to do: a tool that has changed needs somebody's consent.
 */
export class Pins {
  readonly #file: string;
  readonly #writes: boolean;
  #writing: Promise<unknown> = Promise.resolve();

  /** @param writes false looks only, and takes what it does not know for unchanged */
  constructor(workspace: string, writes = true) {
    this.#file = join(workspace, '.detent', 'mcp-pins.json');
    this.#writes = writes;
  }

  /**
   * Keeps what is new, and answers the names of those tools that have changed.
   *
   * @throws DetentError `MCP_PINS_UNREADABLE`; nothing of a server may be used then.
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

  /** Takes these tools as they are now. @throws DetentError `MCP_PINS_UNREADABLE`. */
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
      const pinned: unknown = JSON.parse(await readFile(this.#file, 'utf8'));
      if (isObject(pinned) && Object.values(pinned).every(isObject)) return pinned as Pinned;
      throw new Error('it does not hold what it should');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      throw new DetentError(
        'MCP_PINS_UNREADABLE',
        `${this.#file} cannot be read (${messageOf(error)}); look at it, or remove it to accept all tools as they are now`,
        { cause: error },
      );
    }
  }

  async #write(pinned: Pinned): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true });
    await replaceFile(this.#file, `${JSON.stringify(pinned, null, 2)}\n`);
  }
}

function hashesOf(tools: readonly ListedTool[]): Record<string, string> {
  return Object.fromEntries(tools.map((tool) => [tool.name, hashOf(tool)]));
}

/** Of all that a model is told of it, and of what its class may be read from. */
function hashOf({ description, inputSchema, annotations }: ListedTool): string {
  const told = JSON.stringify(sorted({ description, inputSchema, annotations }));
  return createHash('sha256').update(told).digest('hex');
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

import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import type { McpConfig, McpServerConfig } from '../../../src/protocol/config/config.ts';
import type { ToolContext } from '../../../src/protocol/tool.ts';
import { createMcpSource, type McpSource } from '../../../src/tools/mcp/source.ts';
import { kill } from '../../support/processes.ts';
import { programFile } from '../../support/program.ts';
import { temporaryFolder, toolContext } from '../helpers.ts';
import type { OddOrder } from './odd-server.ts';

const everythingFile = fileURLToPath(
  import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
);
const oddFile = programFile('test/tools/mcp/odd-server');

/** A busy machine takes long to start a process. */
const connectTimeoutMs = 60_000;

/** The reference server of the protocol, as a command. */
export const everything: McpServerConfig = {
  command: process.execPath,
  args: [everythingFile, 'stdio'],
  connectTimeoutMs,
};

/** A test server that follows the orders in a file, and records beside it what it saw. */
interface Odd {
  config: McpServerConfig;
  order(order: OddOrder): void;
  /** What it wrote under this ending, a line each. */
  seen(ending: 'pid' | 'calls' | 'cancelled'): string[];
  pids(): number[];
}

export async function oddServer(order: OddOrder): Promise<Odd> {
  const file = join(await temporaryFolder(), 'order.json');
  const write = (next: OddOrder) => writeFileSync(file, JSON.stringify(next));
  write(order);
  const seen = (ending: string) => {
    try {
      return readFileSync(`${file}.${ending}`, 'utf8').trim().split('\n');
    } catch {
      return [];
    }
  };
  return {
    config: { command: process.execPath, args: [oddFile, file], connectTimeoutMs },
    order: write,
    seen,
    pids: () => seen('pid').map(Number),
  };
}

/** The tools of these servers, in a workspace of their own; all is ended after the test. */
export async function sourceOf(
  servers: McpConfig['servers'],
  over: Partial<Parameters<typeof createMcpSource>[0]> = {},
): Promise<McpSource & { workspace: string }> {
  const workspace = over.workspace ?? (await temporaryFolder());
  const source = await createMcpSource({
    config: { servers },
    workspace,
    env: process.env,
    version: '0.0.0',
    redact: (text) => text,
    backoff: { firstMs: 1, maxMs: 1 },
    ...over,
  });
  onTestFinished(() => source.close());
  await source.ready(null);
  return { ...source, workspace };
}

/** Calls a tool as the toolbox would. */
export async function call(
  source: McpSource,
  name: string,
  args: object = {},
  over: Partial<ToolContext> = {},
) {
  const found = source.tools().get(name);
  if (!found) throw new Error(`there is no ${name}; there are ${[...source.tools().keys()].join(', ')}`);
  return (await found.tool.run(args, toolContext(over))) as {
    content: { type: string; text?: string }[];
    isError?: boolean;
  };
}

/** The text of a call behind the line that says whose it is. */
export async function textOf(
  source: McpSource,
  name: string,
  args: object = {},
  over: Partial<ToolContext> = {},
) {
  const { content } = await call(source, name, args, over);
  return content
    .slice(1)
    .map(({ type, text }) => text ?? `[${type}]`)
    .join('\n');
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The reference server on a port of this machine. */
export async function everythingOn(mode: 'streamableHttp' | 'sse', port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [everythingFile, mode], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  onTestFinished(() => kill(child));
  const url = `http://127.0.0.1:${port}/${mode === 'sse' ? 'nowhere' : 'mcp'}`;
  await vi.waitUntil(
    () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    { timeout: 100_000, interval: 50 },
  );
  return child;
}

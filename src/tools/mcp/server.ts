import type { McpServerConfig } from '../../protocol/config.ts';

/** How a server is reached. */
export type McpTarget =
  | {
      type: 'stdio';
      command: string;
      args: readonly string[];
      env: Readonly<Record<string, string>>;
      cwd: string;
    }
  /** `http` falls back to `sse` where a server does not speak it. */
  | { type: 'http' | 'sse'; url: string; headers: Readonly<Record<string, string>> };

/** A server that may be used. */
export interface McpServer {
  name: string;
  /** The configuration, or the `.mcp.json` of the workspace. */
  from: 'config' | 'project';
  target: McpTarget;
  /** Its annotations are believed. Never so for one of the project's file. */
  trusted: boolean;
  /** Of one call, in milliseconds. */
  timeoutMs: number;
  /** To connect and to list the tools, in milliseconds. */
  connectTimeoutMs: number;
  auth: McpServerConfig['auth'] | null;
}

/** One that may not, or cannot, be used, and what to do. */
export interface RefusedServer {
  name: string;
  from: McpServer['from'];
  code: 'MCP_NOT_ALLOWED' | 'INVALID_CONFIG';
  reason: string;
}

/** Where a server is, for people. Headers, variables and what an address says of keys are left out. */
export function describeTarget(target: McpTarget): string {
  if (target.type === 'stdio') return [target.command, ...target.args].join(' ');
  const { origin, pathname } = new URL(target.url);
  return `${origin}${pathname}`;
}

import type { McpServerConfig } from '../../protocol/config.ts';

/** How Detent reaches a server. */
export type McpTarget =
  | {
      type: 'stdio';
      command: string;
      args: readonly string[];
      env: Readonly<Record<string, string>>;
      cwd: string;
    }
  /** `http` falls back to `sse` if the server does not support it. */
  | { type: 'http' | 'sse'; url: string; headers: Readonly<Record<string, string>> };

/** A server that may be used. */
export interface McpServer {
  name: string;
  /** The configuration, or the `.mcp.json` of the workspace. */
  from: 'config' | 'project';
  target: McpTarget;
  /** Whether Detent believes its annotations. Never true for a server of the project's file. */
  trusted: boolean;
  /** Timeout of one call, in milliseconds. */
  timeoutMs: number;
  /** Timeout for connecting and listing the tools, in milliseconds. */
  connectTimeoutMs: number;
  auth: McpServerConfig['auth'] | null;
}

/** A server that must not or cannot be used, and what to do. */
export interface RefusedServer {
  name: string;
  from: McpServer['from'];
  code: 'MCP_NOT_ALLOWED' | 'INVALID_CONFIG';
  reason: string;
}

import type { Unavailable } from '../../ports/toolbox.ts';

/** A server as people see it. */
export interface McpServerView {
  name: string;
  /** The configuration, or the `.mcp.json` of the workspace. */
  from: 'config' | 'project';
  /** A command line, or an address; null when it must not be shown. */
  target: string | null;
  type: 'stdio' | 'http' | 'sse' | null;
  trusted: boolean;
  status: 'connected' | 'failed' | 'refused' | 'idle';
  /** Why it cannot be used; null when it can. */
  reason: string | null;
  /** The server's own name and version. */
  about: { name: string; version: string; protocol: string } | null;
  tools: readonly McpToolView[];
}

export interface McpToolView {
  /** Its name for models. */
  name: string;
  /** Its name at the server. */
  tool: string;
  description: string;
  /** Why runs may not use it; null when they may. `TOOL_CHANGED`: it has changed since its first use. */
  unavailable: Unavailable | null;
}

import { resolve } from 'node:path';
import type { McpConfig, McpServerConfig } from '../../protocol/config.ts';
import { defaults } from '../../protocol/enums.ts';
import { messageOf } from '../../protocol/error.ts';
import { isTextRecord, type JsonObject, substitute, type Variables } from '../../protocol/json.ts';
import type { Unavailable } from '../../protocol/ports.ts';
import { parseProjectFile, projectFileName, readProjectFile } from './project-file.ts';
import type { McpServer, McpTarget, RefusedServer } from './server.ts';

interface ServerList {
  servers: readonly McpServer[];
  refused: readonly RefusedServer[];
}

export interface ServerPlace {
  workspace: string;
  /** For variables in the file. */
  env: Variables;
  /** The text of `.mcp.json`, null when there is none; left out, it is read. */
  file?: string | null | undefined;
}

/**
 * The servers of the configuration and of the workspace's `.mcp.json`, sorted by name. That file names programs to run,
 * and comes with a workspace that another person may have written: its servers are used only if the configuration allows
 * them. A server of the configuration overrides one of the same name in the file.
 */
export async function listServers(
  config: McpConfig,
  { workspace, env, file }: ServerPlace,
): Promise<ServerList> {
  const servers: McpServer[] = Object.entries(config.servers ?? {}).map(([name, server]) =>
    serverOf(name, 'config', server, workspace),
  );
  const refused: RefusedServer[] = [];
  const named = new Set(servers.map(({ name }) => name));
  for (const [name, raw] of Object.entries(await projectServers(workspace, file, refused))) {
    if (named.has(name)) continue;
    const refuse = (code: RefusedServer['code'], reason: string) =>
      refused.push({ name, from: 'project', code, reason });
    if (!config.project && !config.allow?.includes(name))
      refuse(
        'MCP_NOT_ALLOWED',
        `it is in ${projectFileName}, which is not trusted by itself; add ${JSON.stringify(name)} to mcp.allow in the configuration`,
      );
    else {
      const { value, problems } = substitute(raw, env);
      const server = problems.length > 0 ? problems.join('; ') : knownFields(value as JsonObject);
      if (typeof server === 'string') refuse('INVALID_CONFIG', server);
      else servers.push(serverOf(name, 'project', server, workspace));
    }
  }
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
  return { servers: servers.sort(byName), refused: refused.sort(byName) };
}

async function projectServers(workspace: string, text: string | null | undefined, refused: RefusedServer[]) {
  try {
    if (text === null) return {};
    const read = text === undefined ? await readProjectFile(workspace) : parseProjectFile(workspace, text);
    return read?.servers ?? {};
  } catch (error) {
    refused.push({
      name: projectFileName,
      from: 'project',
      code: 'INVALID_CONFIG',
      reason: messageOf(error),
    });
    return {};
  }
}

/** The fields of an entry that Detent knows, or what is wrong with it. Other programs may have fields of their own in it. */
function knownFields({
  type,
  command,
  args = [],
  env = {},
  cwd,
  url,
  headers = {},
}: JsonObject): McpServerConfig | string {
  const isTextList = (value: unknown): value is string[] =>
    Array.isArray(value) && value.every((item) => typeof item === 'string');
  if (typeof command === 'string' && command !== '' && url === undefined) {
    if (!isTextList(args)) return 'args: expected a list of texts';
    if (!isTextRecord(env)) return 'env: expected texts by name';
    return { command, args, env, ...(typeof cwd === 'string' && { cwd }) };
  }
  if (typeof url !== 'string' || command !== undefined) return 'a server has either a command or a url';
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return 'url: expected an http or https URL';
  if (!isTextRecord(headers)) return 'headers: expected texts by name';
  return { url, headers, type: type === 'sse' ? 'sse' : 'http' };
}

function serverOf(
  name: string,
  from: McpServer['from'],
  config: McpServerConfig,
  workspace: string,
): McpServer {
  return {
    name,
    from,
    target: targetOf(config, workspace),
    trusted: from === 'config' && config.trusted === true,
    timeoutMs: config.timeoutMs ?? defaults.mcp.timeoutMs,
    connectTimeoutMs: config.connectTimeoutMs ?? defaults.mcp.connectTimeoutMs,
    auth: config.auth ?? null,
  };
}

function targetOf(
  { command, args = [], env = {}, cwd = '.', url = '', headers = {}, type }: McpServerConfig,
  workspace: string,
): McpTarget {
  if (command !== undefined) return { type: 'stdio', command, args, env, cwd: resolve(workspace, cwd) };
  return { type: type === 'sse' ? 'sse' : 'http', url, headers };
}

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

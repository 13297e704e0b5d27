import type { McpConfig } from '../../protocol/config.ts';
import type { Variables } from '../../protocol/json.ts';
import type { Unavailable } from '../../protocol/ports.ts';
import { defineTool, type SideEffect, type Tool } from '../../protocol/tool.ts';
import { offText } from '../../protocol/views.ts';
import { shortened } from '../../text/wording.ts';
import { namesPrefix } from '../registry/name-patterns.ts';
import { registeredTool } from '../registry/registry.ts';
import type { SourcedTool, ToolSource } from '../registry/tool-source.ts';
import type { ListedTool, ToolHints } from './connect.ts';
import { type Backoff, changedText, McpConnection } from './connection.ts';
import { Pins } from './pins.ts';
import { contentOf } from './result.ts';
import type { McpTarget, RefusedServer } from './server.ts';
import { listServers, type McpServerView } from './server-list.ts';
import { toolName, toolPrefix } from './tool-name.ts';

interface McpOptions {
  config: McpConfig;
  workspace: string;
  /** The text of `.mcp.json`, null when there is none; left out, it is read. */
  file?: string | null;
  env: Variables;
  /** Detent's version. */
  version: string;
  redact(text: string): string;
  /** False only compares: hashes of new tools are not stored. */
  writesPins?: boolean;
  /** Pauses between attempts to connect. Default: 1 s, doubled each time, up to a minute. */
  backoff?: Backoff;
}

/** The tools of all servers. */
export interface McpSource extends ToolSource {
  /** Every server, sorted by name, with what is known of it so far. */
  servers(): readonly McpServerView[];
  /** Accepts the tools of a server as they are now; null when the server has not answered. */
  accept(server: string, tool: string | null): Promise<readonly ListedTool[] | null>;
}

/** Creates the source of the tools of the configured servers. Connects on the first request for tools. */
export async function createMcpSource(options: McpOptions): Promise<McpSource> {
  const {
    config,
    workspace,
    env,
    file,
    version,
    redact,
    backoff = { firstMs: 1_000, maxMs: 60_000 },
  } = options;
  const { servers, refused } = await listServers(config, { workspace, env, file });
  const pins = new Pins(workspace, options.writesPins ?? true);
  const connections = servers.map(
    (server) => new McpConnection(server, { env, workspace, version, redact, pins, backoff }),
  );
  const known = new KnownTools(connections);

  return {
    async ready(names) {
      const wanted = connections.filter(
        ({ server }) => names === null || namesPrefix(names, toolPrefix(server.name)),
      );
      await Promise.all(wanted.map((connection) => connection.refresh()));
    },
    tools: () => known.all(),
    whyMissing(name) {
      const lacking = connections.find(
        ({ server, tools }) => tools === null && name.startsWith(toolPrefix(server.name)),
      );
      if (lacking?.problem)
        return {
          code: 'MCP_UNAVAILABLE',
          reason: `MCP server ${JSON.stringify(lacking.server.name)} cannot be reached: ${lacking.problem}`,
        };
      const off = refused.find((server) => name.startsWith(toolPrefix(server.name)));
      return off ? { code: off.code, reason: `MCP server ${JSON.stringify(off.name)}: ${off.reason}` } : null;
    },
    servers: () =>
      [
        ...connections.map((connection) => serverView(connection, known, redact)),
        ...refused.map(refusedView),
      ].sort((a, b) => (a.name < b.name ? -1 : 1)),
    async accept(name, tool) {
      const tools = connections.find(({ server }) => server.name === name)?.tools;
      if (!tools) return null;
      const accepted = tools.filter((listed) => tool === null || listed.name === tool);
      if (accepted.length > 0) await pins.accept(name, accepted);
      return accepted;
    },
    close: async () => void (await Promise.all(connections.map((connection) => connection.close()))),
  };
}

/** The tools of all connections by name; rebuilds those of a server only after it has changed them. */
class KnownTools {
  readonly #connections: readonly McpConnection[];
  readonly #made = new Map<McpConnection, { from: readonly ListedTool[]; tools: readonly SourcedTool[] }>();
  #all: ReadonlyMap<string, SourcedTool> = new Map();

  constructor(connections: readonly McpConnection[]) {
    this.#connections = connections;
  }

  all(): ReadonlyMap<string, SourcedTool> {
    let isSame = true;
    for (const connection of this.#connections) {
      const from = connection.tools;
      if (from === null || this.#made.get(connection)?.from === from) continue;
      this.#made.set(connection, { from, tools: from.map((listed) => sourcedTool(connection, listed)) });
      isSame = false;
    }
    if (isSame) return this.#all;
    const all = new Map<string, SourcedTool>();
    // Connections and tools are sorted, so of two tools with one name always the same one wins.
    for (const connection of this.#connections)
      for (const tool of this.#made.get(connection)?.tools ?? [])
        if (!all.has(tool.tool.name)) all.set(tool.tool.name, tool);
    this.#all = all;
    return all;
  }
}

function serverView(
  { server, tools, problem, about }: McpConnection,
  known: KnownTools,
  redact: McpOptions['redact'],
): McpServerView {
  const { name, from, target, trusted } = server;
  return {
    name,
    from,
    // The values of variables may be keys.
    target: redact(describeTarget(target)),
    type: target.type,
    trusted,
    status: about ? 'connected' : problem ? 'failed' : 'idle',
    reason: problem,
    about,
    tools: (tools ?? []).map((listed) => {
      const called = toolName(name, listed.name);
      return {
        name: called,
        tool: listed.name,
        description: listed.description ?? '',
        unavailable: known.all().get(called)?.unavailable ?? null,
      };
    }),
  };
}

function refusedView({ name, from, reason }: RefusedServer): McpServerView {
  return {
    name,
    from,
    target: null,
    type: null,
    trusted: false,
    status: 'refused',
    reason,
    about: null,
    tools: [],
  };
}

/** The target of a server, for people; without headers, variables and keys in the address. */
function describeTarget(target: McpTarget): string {
  if (target.type === 'stdio') return [target.command, ...target.args].join(' ');
  const { origin, pathname } = new URL(target.url);
  return `${origin}${pathname}`;
}

/** Maximum characters of a description. */
const maxChars = 8_000;
const maxSchemaChars = 100_000;

/** A server's tool as a tool of an agent; an unusable one has the reason. */
function sourcedTool(connection: McpConnection, listed: ListedTool): SourcedTool {
  const unavailable = whyNot(connection, listed);
  const tool = toolOf(connection, unavailable ? { ...listed, inputSchema: { type: 'object' } } : listed);
  return { ...registeredTool(tool), unavailable };
}

function whyNot(connection: McpConnection, listed: ListedTool): Unavailable | null {
  const { name, taskOnly, inputSchema } = listed;
  if (connection.isChanged(name))
    return { code: 'TOOL_CHANGED', reason: changedText(connection.server.name, name) };
  if (taskOnly) return { code: 'MCP_TASK_ONLY', reason: offText('mcp_task_only') };
  if (JSON.stringify(inputSchema).length > maxSchemaChars)
    return {
      code: 'INVALID_TOOL',
      reason: offText('schema_too_large', { max: maxSchemaChars }),
    };
  return null;
}

function toolOf(
  connection: McpConnection,
  { name, description, inputSchema, annotations }: ListedTool,
): Tool {
  const { server } = connection;
  const { sideEffect, confirm } = server.trusted ? classOf(annotations) : untrusted;
  const about =
    description?.trim() ||
    `The tool ${JSON.stringify(name)} of the MCP server ${JSON.stringify(server.name)}.`;
  return defineTool<Record<string, unknown>>({
    name: toolName(server.name, name),
    description: shortened(about, maxChars),
    jsonSchema: inputSchema,
    sideEffect,
    confirm,
    untrusted: true,
    timeoutMs: server.timeoutMs,
    run: async (args, ctx) => contentOf(server.name, name, await connection.call(name, args, ctx)),
  });
}

interface CallClass {
  sideEffect: SideEffect;
  confirm: boolean;
}

const untrusted: CallClass = { sideEffect: 'unsafe', confirm: true };

/**
 * The class of a trusted server's tool, by its hints. By the protocol a tool is destructive unless it says otherwise.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations
 */
function classOf({ readOnlyHint, idempotentHint, destructiveHint }: ToolHints = {}): CallClass {
  if (readOnlyHint === true) return { sideEffect: 'readonly', confirm: false };
  if (idempotentHint === true) return { sideEffect: 'idempotent', confirm: destructiveHint !== false };
  return untrusted;
}

import type { Unavailable } from '../../protocol/ports.ts';
import { defineTool, type SideEffect, type Tool } from '../../protocol/tool.ts';
import { offText } from '../../protocol/views.ts';
import { shortened } from '../../text/wording.ts';
import { registeredTool } from '../registry/registry.ts';
import type { SourcedTool } from '../registry/tool-source.ts';
import type { ListedTool, ToolHints } from './connect.ts';
import { changedText, type McpConnection } from './connection.ts';
import { contentOf } from './result.ts';
import { toolName } from './tool-name.ts';

/** Maximum characters of a description. */
const maxChars = 8_000;
const maxSchemaChars = 100_000;

/** A server's tool as a tool of an agent; an unusable one has the reason. */
export function sourcedTool(connection: McpConnection, listed: ListedTool): SourcedTool {
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

/** The MCP servers that are declared. */
export { projectFileName, readProjectFile } from './mcp/project-file.ts';
export { listServers, type McpServerView, type McpToolView, type ServerPlace } from './mcp/server-list.ts';
export { toolPrefix } from './mcp/tool-name.ts';

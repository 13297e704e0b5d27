/** Talking to MCP servers. */
export { login } from './mcp/login.ts';
export { createMcpSource, type McpSource } from './mcp/source.ts';

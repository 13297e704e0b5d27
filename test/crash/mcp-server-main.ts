import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/**
 * A server of tools whose calls take effect and then some time: `write`, of which it says nothing, and `look`, which it
 * says only reads. Arguments: the workspace, and what Detent calls the server.
 */
const [workspace = '.', called = ''] = process.argv.slice(2);

const server = new Server({ name: 'ledger', version: '1.0.0' }, { capabilities: { tools: {} } });

const inputSchema = { type: 'object' as const, properties: { label: { type: 'string' } } };
server.setRequestHandler('tools/list', () => ({
  tools: [
    { name: 'write', description: 'writes a line', inputSchema },
    { name: 'look', description: 'looks', inputSchema, annotations: { readOnlyHint: true } },
  ],
}));

server.setRequestHandler('tools/call', async ({ params: { name, arguments: args } }) => {
  const key = String(args?.label);
  appendFileSync(
    join(workspace, 'ledger.jsonl'),
    `${JSON.stringify({ tool: `mcp__${called}__${name}`, key })}\n`,
  );
  await new Promise((resolve) => setTimeout(resolve, 60));
  return { content: [{ type: 'text' as const, text: `saw ${key}` }] };
});

// Not every server ends with its input.
setInterval(() => {}, 1_000);

await server.connect(new StdioServerTransport());

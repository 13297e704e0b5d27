/**
 * What tools cost beside their own work: a call of an MCP server against the bare client package, and eight read-only
 * calls of one answer against one.
 *
 * @module
 */

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import * as z from 'zod';
import { defineTool } from '../src/index.ts';
import { createDetent } from '../src/runtime/create-detent.ts';
import { scriptedModel } from '../src/testing/index.ts';
import { createMcpSource } from '../src/tools/mcp/source.ts';
import { createToolbox } from '../src/tools/toolbox.ts';
import { commonFlags } from './support/flags.ts';
import { inTurns, type KindTimes } from './support/in-turns.ts';
import { machineFacts } from './support/machine-facts.ts';
import { inScratchFolder } from './support/scratch.ts';
import { table } from './support/table.ts';

const usage = `usage: npm run bench -- tools [--quick] [--json] [--runs N]

A call of an MCP server over stdio (the reference server's echo), by the bare client package and through Detent; a run
with one read-only call that waits 20 ms, and with eight of them in one answer. Wall time.
  --quick   few runs: shows that it works, not what it costs
  --json    one JSON object instead of the table
  --runs N  of each kind, in turns (300)`;

const waitMs = 20;
const server = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      ...commonFlags,
      runs: { type: 'string' },
    },
  });
  if (values.help) return console.log(usage);
  const runs = Number(values.runs ?? (values.quick ? 10 : 300));
  const rows = await inScratchFolder(async (workspace) => [
    ...(await overMcp(workspace, runs)),
    ...(await sideBySide(workspace, Math.ceil(runs / 5))),
  ]);
  const machine = machineFacts();
  if (values.json) return console.log(JSON.stringify({ machine, runs, rows }));
  const cells = rows.map(({ what, medianMs, p95Ms, ratio }) => [
    what,
    ...[medianMs, p95Ms, ratio].map(String),
  ]);
  console.log(`${machine.platform}, ${machine.cpu}, Node ${machine.node}\n`);
  console.log(table([['one call, or one run', 'median ms', 'p95 ms', 'times the first'], ...cells]));
}

async function overMcp(workspace: string, runs: number): Promise<KindTimes[]> {
  const client = new Client({ name: 'bench', version: '0' });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [server, 'stdio'], stderr: 'ignore' }),
  );
  const source = await createMcpSource({
    config: { servers: { every: { command: process.execPath, args: [server, 'stdio'] } } },
    workspace,
    env: process.env,
    version: '0',
    redact: (text) => text,
  });
  await source.ready(null);
  const toolbox = createToolbox({ tools: [], allowed: null, source });
  const message = { message: 'hello' };
  try {
    return await inTurns(runs, [
      {
        what: 'MCP: the bare client package',
        run: () => client.callTool({ name: 'echo', arguments: message }),
      },
      {
        what: 'MCP: through Detent: arguments, limits, result',
        run: () => toolbox.run('mcp__every__echo', JSON.stringify(message), context(workspace)),
      },
    ]);
  } finally {
    await client.close();
    await source.close();
  }
}

function context(workspace: string): Parameters<ReturnType<typeof createToolbox>['run']>[2] {
  return {
    runId: 'run',
    sessionId: 'session',
    callId: 'c1',
    idempotencyKey: 'run:1',
    principal: { tenantId: 1, userId: null, claims: {} },
    workspace,
    signal: new AbortController().signal,
    charge() {},
    log() {},
    progress() {},
  };
}

async function sideBySide(workspace: string, runs: number): Promise<KindTimes[]> {
  const look = defineTool({
    name: 'look',
    description: `Waits ${waitMs} ms.`,
    parameters: z.object({ n: z.number() }),
    sideEffect: 'readonly',
    run: () => new Promise((resolve) => setTimeout(() => resolve('seen'), waitMs)),
  });
  const runOf = (calls: number, parallelCalls: number) => {
    const answer = {
      toolCalls: Array.from({ length: calls }, (_, n) => ({ name: 'look', arguments: { n } })),
    };
    return async () => {
      const detent = createDetent({
        workspace,
        env: {},
        model: 'bench/script',
        models: { bench: scriptedModel([answer, { text: 'done' }]) },
        tools: { define: [look], allowed: ['look'] },
        limits: { parallelCalls },
        store: 'in-process',
      });
      const { status } = await detent.run('go').result;
      if (status !== 'done') throw new Error(`the run is ${status}`);
      await detent.close();
    };
  };
  return inTurns(runs, [
    { what: `one read-only call of ${waitMs} ms in a run`, run: runOf(1, 4) },
    { what: 'eight in one answer, four at a time (the default)', run: runOf(8, 4) },
    { what: 'eight in one answer, all at once', run: runOf(8, 8) },
  ]);
}

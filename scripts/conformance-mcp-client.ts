import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { McpConfig } from '../src/protocol/config/config.ts';
import type { ToolContext } from '../src/protocol/tool.ts';
import type { QuestionView } from '../src/protocol/views.ts';
import { checkedAnswer } from '../src/runs/decisions/answers.ts';
import { login } from '../src/tools/mcp/login.ts';
import { listServers } from '../src/tools/mcp/server-list.ts';
import { createMcpSource } from '../src/tools/mcp/source.ts';

/**
 * What the conformance suite starts, with the address of its server: does with Detent's client what an agent would,
 * which is to list the tools and to call each, and logs in when that is asked for, with a browser that agrees to all.
 */
const url = process.argv.at(-1) ?? '';
const given = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as Record<string, string>;
const maxLogins = 3;

const folder = await mkdtemp(join(tmpdir(), 'detent-conformance-client-'));
const env = { ...process.env, DETENT_HOME: folder };
const config: McpConfig = {
  servers: {
    suite: {
      url,
      auth: {
        ...(given.client_id && { clientId: given.client_id }),
        ...(given.client_secret && { clientSecret: given.client_secret }),
        ...(process.env.MCP_CONFORMANCE_SCENARIO === 'auth/client-credentials-basic' && {
          grant: 'client_credentials' as const,
        }),
        ...(process.env.MCP_CONFORMANCE_SCENARIO === 'auth/basic-cimd' && {
          clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
        }),
      },
    },
  },
};

/** Answers why it did not work; null when all did. */
async function useTools(): Promise<string | null> {
  const source = await createMcpSource({
    config,
    workspace: folder,
    env,
    version: '0',
    redact: (text) => text,
  });
  try {
    await source.ready(null);
    const [server] = source.servers();
    if (server?.status !== 'connected') return server?.reason ?? 'there is no server';
    for (const { tool } of source.tools().values())
      await tool.run(argumentsFor(tool.jsonSchema), { ...context, signal: AbortSignal.timeout(20_000) });
    return null;
  } catch (error) {
    return String(error);
  } finally {
    await source.close();
  }
}

function argumentsFor(schema: unknown): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type }]) => [name, type === 'number' ? 2 : 'text']),
  );
}

const context = {
  log() {},
  progress() {},
  // A person who fills in nothing.
  ask: async (question: QuestionView) => ({ answered: true as const, answer: checkedAnswer(question, {}) }),
} as unknown as ToolContext;

async function logIn(): Promise<void> {
  const { servers } = await listServers(config, { workspace: folder, env: env });
  const [server] = servers;
  if (!server) throw new Error('there is no server');
  // A browser follows redirects, to our own port at last.
  await login(server, { env, timeoutMs: 10_000, open: (address) => void fetch(address).catch(() => {}) });
}

try {
  let problem = await useTools();
  for (let logins = 0; problem?.includes('mcp login') && logins < maxLogins; logins++) {
    await logIn();
    problem = await useTools();
  }
  if (problem !== null) throw new Error(problem);
} catch (error) {
  console.error(String(error));
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

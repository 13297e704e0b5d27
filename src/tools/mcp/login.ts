import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DetentError, messageOf } from '../../protocol/error.ts';
import type { Variables } from '../../protocol/json.ts';
import { FileOAuth, loginFile } from './oauth.ts';
import type { McpServer } from './server.ts';

interface LoginHost {
  env: Variables;
  /** Shows the person the address to open. */
  open(url: URL): void;
  /** How long to wait for the person, in milliseconds. */
  timeoutMs: number;
}

/**
 * Logs in to a server by OAuth. A person opens an address in a browser, which redirects to a port of this machine.
 * The tokens are stored for later runs.
 *
 * @throws DetentError `MCP_LOGIN_FAILED`; `USAGE` for a server that is a command.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
 */
export async function login(server: McpServer, { env, open, timeoutMs }: LoginHost): Promise<void> {
  const { target, name } = server;
  if (target.type === 'stdio')
    throw new DetentError(
      'USAGE',
      `MCP server ${JSON.stringify(name)} is a command; only an address has a login`,
    );
  const callback = createServer();
  try {
    callback.listen(0, '127.0.0.1');
    await once(callback, 'listening');
    const { port } = callback.address() as AddressInfo;
    const provider = new FileOAuth(loginFile(target.url, env), server, {
      redirectUrl: `http://127.0.0.1:${port}/callback`,
      open,
    });
    const { auth } = await import('@modelcontextprotocol/client');
    const challenge = await challengeOf(target);
    const scope = (await provider.wantedScope()) ?? server.auth?.scope ?? challenge.scope;
    const request = { serverUrl: target.url, ...challenge, ...(scope && { scope }) };
    const answered = redirectParameters(callback, (state) => provider.isOwnState(state), timeoutMs);
    // If the login fails earlier, no code awaits this promise: avoid an unhandled rejection.
    answered.catch(() => {});
    if ((await auth(provider, { ...request, forceReauthorization: true })) === 'AUTHORIZED') return;
    const answer = await answered;
    const authorizationCode = answer.get('code');
    if (authorizationCode === null)
      throw new Error(answer.get('error_description') ?? answer.get('error') ?? 'it sent no code');
    const iss = answer.get('iss');
    await auth(provider, { ...request, authorizationCode, ...(iss !== null && { iss }) });
    await provider.saveWantedScope(undefined);
  } catch (error) {
    throw new DetentError(
      'MCP_LOGIN_FAILED',
      `the login to MCP server ${JSON.stringify(name)} failed: ${messageOf(error)}; try again, or send a key in "headers"`,
      { cause: error },
    );
  } finally {
    callback.closeAllConnections();
    callback.close();
  }
}

/** The challenge with which the server answers a request without a login. */
async function challengeOf({ url, headers }: { url: string; headers: Readonly<Record<string, string>> }) {
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client');
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' }),
  });
  await response.body?.cancel();
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope && { scope }) };
}

/** The parameters of the browser's redirect. Refuses those that do not belong to this login. */
function redirectParameters(
  server: Server,
  isOwn: (state: string | null) => boolean,
  timeoutMs: number,
): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`no login came within ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    server.once('close', () => clearTimeout(timer));
    server.on('request', ({ url = '/' }, response) => {
      const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
      const isAnswer = pathname === '/callback' && isOwn(searchParams.get('state'));
      response.writeHead(isAnswer ? 200 : 404, { 'content-type': 'text/plain', connection: 'close' });
      response.end(
        isAnswer ? 'Detent has what it needs. You can close this page.' : 'This belongs to no login.',
      );
      if (isAnswer) resolve(searchParams);
    });
  });
}

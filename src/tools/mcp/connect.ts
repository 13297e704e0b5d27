import { pathToFileURL } from 'node:url';
import type {
  CallToolResult,
  Client,
  OAuthClientProvider,
  Progress,
  StreamableHTTPClientTransport,
  Transport,
} from '@modelcontextprotocol/client';
import type { JsonObject } from '../../protocol/json.ts';
import { endsWithin } from '../../text/limiter.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { type AskPerson, elicit } from './elicitation.ts';
import { oauthOf } from './oauth.ts';
import type { McpServer, McpTarget } from './server.ts';
import { StdioTransport, serverEnvironment } from './stdio-transport.ts';

/** A tool as its server lists it. */
export interface ListedTool {
  name: string;
  description?: string | undefined;
  inputSchema: JsonObject;
  annotations?: ToolHints | undefined;
  /** It can only be called as a task of the protocol, which keeps running after its call. */
  taskOnly: boolean;
}

/** What a server claims about the effects of a call. Only as reliable as the server. */
export interface ToolHints {
  readOnlyHint?: boolean | undefined;
  destructiveHint?: boolean | undefined;
  idempotentHint?: boolean | undefined;
}

/** What a connection needs from its owner. */
export interface ConnectionHost {
  env: Readonly<Record<string, string | undefined>>;
  workspace: string;
  /** Detent's version, which servers get. */
  version: string;
}

interface ConnectionEvents {
  onClose(): void;
  onToolsChanged(): void;
  onLog(message: string): void;
  /** Asks a person for the server; null when it is unknown which call the server asks for. */
  personToAsk(): AskPerson | null;
}

/** A connected server. */
export interface OpenServer {
  /** The server's own name and version, and the negotiated version of the protocol. */
  readonly about: { name: string; version: string; protocol: string };
  readonly pid: number | undefined;
  list(signal: AbortSignal): Promise<ListedTool[]>;
  call(
    tool: string,
    args: Record<string, unknown>,
    options: { signal: AbortSignal; onProgress(progress: Progress): void },
  ): Promise<CallToolResult>;
  close(): Promise<void>;
}

/** Disables the client package's timeout of one minute: the caller enforces the timeout of a call. */
const timeout = 2 ** 31 - 1;
const endSessionMs = 1_000;

/** Connecting to a server failed; `lastWords` is the exit status of its process and the end of its stderr. */
export class NotConnected extends Error {
  readonly lastWords: string;

  constructor(cause: unknown, lastWords: string) {
    super(lastWords || String((cause as Error)?.message ?? cause), { cause });
    this.lastWords = lastWords;
  }
}

/**
 * Connects to a server. Imports the client package with the first connection.
 *
 * @throws NotConnected
 */
export async function openServer(
  server: McpServer,
  host: ConnectionHost,
  events: ConnectionEvents,
  signal: AbortSignal,
): Promise<OpenServer> {
  const { target } = server;
  if (target.type === 'stdio') {
    const { deserializeMessage } = await import('@modelcontextprotocol/client');
    const transport = new StdioTransport(target, serverEnvironment(host.env, target.env), deserializeMessage);
    return connected(server.name, transport, host, events, signal, () => transport.lastWords);
  }
  const provider = await oauthOf(server, host.env);
  const { name } = server;
  if (target.type === 'sse')
    return connected(name, await overHttp('SSEClientTransport', target, provider), host, events, signal);
  try {
    return await connected(
      name,
      await overHttp('StreamableHTTPClientTransport', target, provider),
      host,
      events,
      signal,
    );
  } catch (error) {
    if (!isOldServer(error)) throw error;
    return connected(name, await overHttp('SSEClientTransport', target, provider), host, events, signal);
  }
}

async function connected(
  server: string,
  transport: Transport,
  host: ConnectionHost,
  events: ConnectionEvents,
  signal: AbortSignal,
  lastWords = () => '',
): Promise<OpenServer> {
  const client = await newClient(server, host, events);
  const stop = () => void transport.close().catch(() => {});
  signal.addEventListener('abort', stop, { once: true });
  try {
    await client.connect(transport, { timeout, signal });
  } catch (error) {
    await transport.close().catch(() => {});
    throw new NotConnected(error, lastWords());
  } finally {
    signal.removeEventListener('abort', stop);
  }
  client.onclose = events.onClose;
  return opened(client, transport);
}

async function newClient(server: string, host: ConnectionHost, events: ConnectionEvents): Promise<Client> {
  const { Client } = await import('@modelcontextprotocol/client');
  const client = new Client(
    { name: 'detent', version: host.version },
    { capabilities: { roots: {}, elicitation: {} } },
  );
  client.setRequestHandler('roots/list', () => ({
    roots: [{ uri: pathToFileURL(host.workspace).href, name: 'workspace' }],
  }));
  client.setRequestHandler('elicitation/create', ({ params }) => {
    const ask = events.personToAsk();
    if (ask && params.mode !== 'url') return elicit(server, params, ask);
    const why = ask ? 'only forms are supported' : 'nobody can be asked';
    events.onLog(`the server asked for input and was declined (${why}): ${params.message}`);
    return { action: 'decline' };
  });
  client.setNotificationHandler('notifications/tools/list_changed', () => events.onToolsChanged());
  client.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) => {
    const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
    events.onLog(`${[level, logger].filter(Boolean).join(' ')}: ${text}`);
  });
  // Errors show up in the requests that they break; lines that are no messages are ignored.
  client.onerror = () => {};
  return client;
}

function opened(client: Client, transport: Transport): OpenServer {
  const { name = '', version = '' } = client.getServerVersion() ?? {};
  return {
    about: { name, version, protocol: client.getNegotiatedProtocolVersion() ?? '' },
    pid: transport instanceof StdioTransport ? transport.pid : undefined,
    async list(signal) {
      if (!client.getServerCapabilities()?.tools) return [];
      const { tools } = await client.listTools(undefined, { cacheMode: 'bypass', timeout, signal });
      return tools.map(({ name, description, inputSchema, annotations, execution }) => ({
        name,
        description,
        inputSchema: inputSchema as JsonObject,
        annotations,
        taskOnly: execution?.taskSupport === 'required',
      }));
    },
    // Not by `callTool`, which throws the result away when it does not match the tool's output schema.
    call: (tool, args, { signal, onProgress }) =>
      client.request(
        { method: 'tools/call', params: { name: tool, arguments: args } },
        { signal, timeout, onprogress: onProgress },
      ),
    async close() {
      client.onclose = () => {};
      await endSession(transport);
      await client.close();
    },
  };
}

/** Tells a server with sessions that this one has ended; best effort. */
async function endSession(transport: Transport): Promise<void> {
  if (!('terminateSession' in transport)) return;
  const ended = (transport as StreamableHTTPClientTransport).terminateSession().catch(() => {});
  await endsWithin(ended, endSessionMs);
}

type WebTarget = Exclude<McpTarget, { type: 'stdio' }>;

async function overHttp(
  kind: 'StreamableHTTPClientTransport' | 'SSEClientTransport',
  { url, headers }: WebTarget,
  authProvider: OAuthClientProvider | null,
): Promise<Transport> {
  const { [kind]: HttpTransport } = await import('@modelcontextprotocol/client');
  return new HttpTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: boundedFetch,
    ...(authProvider && { authProvider }),
  });
}

/** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility */
function isOldServer(error: unknown): boolean {
  const status = httpStatusOf((error as Error).cause);
  return status === 400 || status === 404 || status === 405;
}

/** The HTTP status in an error of the client package. */
export function httpStatusOf(error: unknown): number | undefined {
  const status = (error as { status?: unknown } | null)?.status;
  return typeof status === 'number' ? status : undefined;
}

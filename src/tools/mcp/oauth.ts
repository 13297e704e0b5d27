import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { DetentError, fileBusy } from '../../protocol/error.ts';
import type { Variables } from '../../protocol/json.ts';
import { makeFolderInHome, readWhole, rewriteJson } from '../../text/files.ts';
import { hex, sha256 } from '../../text/ids.ts';
import type { McpServer } from './server.ts';

/** The stored data of a login. */
interface Login {
  /** The server's address, so that the tokens are never used for another one. */
  url: string;
  client?: StoredOAuthClientInformation | undefined;
  tokens?: StoredOAuthTokens | undefined;
  /** The missing scope for which the server refused a call; the next login asks for it. */
  wantedScope?: string | undefined;
}

interface LoginOptions {
  /** The address that the browser returns to; left out for logins without a browser. */
  redirectUrl?: string;
  /** Shows the person where to log in. */
  open?(url: URL): void;
}

/**
 * The OAuth provider of a server with a stored login or a client secret; null for all others, which get the configured
 * `headers`.
 */
export async function oauthOf(server: McpServer, env: Variables): Promise<OAuthClientProvider | null> {
  if (server.target.type === 'stdio') return null;
  const { grant, clientId, clientSecret, scope } = server.auth ?? {};
  if (grant === 'client_credentials' && clientId && clientSecret) {
    const { ClientCredentialsProvider } = await import('@modelcontextprotocol/client');
    return new ClientCredentialsProvider({ clientId, clientSecret, ...(scope && { scope }) });
  }
  const file = loginFile(server.target.url, env);
  return existsSync(file) ? new FileOAuth(file, server, {}) : null;
}

/** The file of a login. Its name derives from the server's address, so that no other server ever gets the tokens. */
export function loginFile(url: string, env: Variables): string {
  const home = env.DETENT_HOME || join(homedir(), '.detent');
  return join(home, 'mcp', `${hex(sha256(new URL(url).href)).slice(0, 32)}.json`);
}

/**
 * Stores OAuth logins in a file that only its owner can read. Outside of `detent mcp login` it renews tokens, and never
 * asks a person.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
 */
export class FileOAuth implements OAuthClientProvider {
  readonly clientMetadata: OAuthClientMetadata;
  readonly redirectUrl: string;
  readonly clientMetadataUrl?: string;
  readonly #file: string;
  readonly #server: McpServer;
  readonly #open: ((url: URL) => void) | undefined;
  /** What the client package uses: its complaints are about these. */
  #givenTokens: StoredOAuthTokens | undefined;
  #givenClient: StoredOAuthClientInformation | undefined;
  #verifier = '';
  #state = '';

  constructor(file: string, server: McpServer, { redirectUrl, open }: LoginOptions) {
    this.#file = file;
    this.#server = server;
    this.#open = open;
    // Renewal does not send it, but the client package requires one if tokens come from a person.
    this.redirectUrl = redirectUrl ?? 'http://127.0.0.1/callback';
    const { scope, clientMetadataUrl } = server.auth ?? {};
    if (clientMetadataUrl) this.clientMetadataUrl = clientMetadataUrl;
    this.clientMetadata = {
      client_name: 'Detent',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...(scope && { scope }),
    };
  }

  state(): string {
    this.#state = crypto.randomUUID();
    return this.#state;
  }

  /** Whether the `state` of a redirect is the one that this login sent. */
  isOwnState(state: string | null): boolean {
    return this.#state !== '' && state === this.#state;
  }

  async clientInformation(): Promise<StoredOAuthClientInformation | undefined> {
    const { clientId, clientSecret } = this.#server.auth ?? {};
    if (clientId) return { client_id: clientId, ...(clientSecret && { client_secret: clientSecret }) };
    this.#givenClient = (await this.#read()).client;
    return this.#givenClient;
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    this.#givenClient = client;
    await this.#change((login) => ({ ...login, client }));
  }

  async tokens(): Promise<StoredOAuthTokens | undefined> {
    this.#givenTokens = (await this.#read()).tokens;
    return this.#givenTokens;
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    this.#givenTokens = tokens;
    await this.#change((login) => ({ ...login, tokens }));
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    if (this.#open) return this.#open(url);
    await this.saveWantedScope(url.searchParams.get('scope') ?? undefined);
    throw new DetentError(
      'MCP_LOGIN_NEEDED',
      `the login has expired, or lacks a scope; run "detent mcp login ${this.#server.name}"`,
    );
  }

  async wantedScope(): Promise<string | undefined> {
    return (await this.#read()).wantedScope;
  }

  async saveWantedScope(wantedScope: string | undefined): Promise<void> {
    await this.#change((login) => ({ ...login, wantedScope }));
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  /** Another process may have renewed them since they were read here: then those of the file stay, to be tried next. */
  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    if (scope === 'verifier' || scope === 'discovery') return;
    await this.#change(({ url, client, tokens, ...rest }) => {
      const keepsClient = scope === 'tokens' || client?.client_id !== this.#givenClient?.client_id;
      const keepsTokens = scope === 'client' || tokens?.access_token !== this.#givenTokens?.access_token;
      return {
        url,
        ...(scope === 'client' && rest),
        ...(keepsClient && { client }),
        ...(keepsTokens && { tokens }),
      };
    });
  }

  async #read(): Promise<Login> {
    const url = this.#server.target.type === 'stdio' ? '' : this.#server.target.url;
    const text = await readWhole(this.#file).then(String, () => null);
    return text === null ? { url } : (JSON.parse(text) as Login);
  }

  /** Processes share the file, and each writes it whole. */
  async #change(change: (before: Login) => Login): Promise<void> {
    makeFolderInHome(dirname(dirname(this.#file)), dirname(this.#file));
    await rewriteJson(
      this.#file,
      async () => change(await this.#read()),
      () => fileBusy(this.#file),
    );
  }
}

import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { FileOAuth, loginFile } from '../../../src/tools/mcp/oauth.ts';
import type { McpServer } from '../../../src/tools/mcp/server.ts';
import { inSizes } from '../../support/size.ts';
import { temporaryFolder } from '../helpers.ts';

const script = fileURLToPath(new URL('../../../scripts/conformance-mcp.ts', import.meta.url));

/** Each is a program that starts another one. */
const daily = ['tools_call', 'elicitation-sep1034-client-defaults', 'auth/scope-step-up'];
const further = [
  'auth/basic-cimd',
  'auth/resource-mismatch',
  'auth/client-credentials-basic',
  'auth/metadata-default',
  'auth/scope-retry-limit',
  'auth/pre-registration',
];
/** Fails, so that it is seen that one can. */
const wrong = 'auth/2025-03-26-oauth-metadata-backcompat';
const scenarios = inSizes({ usual: daily, deep: [...daily, ...further], full: [...daily, ...further] });

describe('the official conformance suite', () => {
  // Each scenario is two processes of its own.
  it(`passes ${scenarios.join(', ')}, and no other`, { timeout: 600_000 }, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...scenarios, wrong]);
    const count = `${scenarios.length} of ${scenarios.length + 1} scenarios pass; 1 fail for what Detent does not do`;
    expect(stdout.split('\n')).toEqual([
      ...scenarios.map((scenario) => `ok    ${scenario}`),
      expect.stringMatching(`^FAIL {2}${wrong}`),
      expect.stringContaining(count),
      '',
    ]);
  });

  it('has no scenario of another name', async () => {
    await expect(promisify(execFile)(process.execPath, [script, 'no-such-scenario'])).rejects.toMatchObject({
      code: 1,
    });
  });
});

describe('a login', () => {
  const server = (url: string): McpServer => ({
    name: 'wiki',
    from: 'config',
    target: { type: 'http', url, headers: {} },
    trusted: false,
    timeoutMs: 1,
    connectTimeoutMs: 1,
    auth: null,
  });

  it('is kept for its address alone, where only its owner can read it', async () => {
    const env = { DETENT_HOME: await temporaryFolder() };
    const file = loginFile('https://wiki.example/mcp', env);
    const login = new FileOAuth(file, server('https://wiki.example/mcp'), {});
    await login.saveTokens({ access_token: 'secret', token_type: 'bearer' });
    expect(await login.tokens()).toMatchObject({ access_token: 'secret' });
    expect([
      (await stat(file)).mode & 0o777,
      (await stat(join(env.DETENT_HOME, 'mcp'))).mode & 0o777,
    ]).toEqual([0o600, 0o700]);
    expect(await readdir(join(env.DETENT_HOME, 'mcp'))).toEqual([basename(file), `${basename(file)}.lock`]);
    const other = 'https://evil.example/mcp';
    expect(await new FileOAuth(loginFile(other, env), server(other), {}).tokens()).toBeUndefined();
  });

  it('asks no person in a run: it says what to do, and keeps what was wanted for the next login', async () => {
    const env = { DETENT_HOME: await temporaryFolder() };
    const url = 'https://wiki.example/mcp';
    const login = new FileOAuth(loginFile(url, env), server(url), {});
    await expect(
      login.redirectToAuthorization(new URL('https://auth.example/?scope=write')),
    ).rejects.toMatchObject({
      code: 'MCP_LOGIN_NEEDED',
      message: expect.stringContaining('detent mcp login wiki'),
    });
    expect(await login.wantedScope()).toBe('write');
  });

  describe('that two processes use', () => {
    const url = 'https://wiki.example/mcp';
    const token = (access_token: string) => ({ access_token, token_type: 'bearer' });
    const two = async () => {
      const file = loginFile(url, { DETENT_HOME: await temporaryFolder() });
      return [new FileOAuth(file, server(url), {}), new FileOAuth(file, server(url), {})] as const;
    };

    it('keeps what each of them stores', async () => {
      const [a, b] = await two();
      await Promise.all([
        a.saveTokens(token('one')),
        b.saveClientInformation({ client_id: 'detent' }),
        b.saveWantedScope('write'),
      ]);
      expect([await b.tokens(), await a.clientInformation(), await a.wantedScope()]).toEqual([
        token('one'),
        { client_id: 'detent' },
        'write',
      ]);
    });

    it('keeps what one has renewed when the server refuses the other what it had before', async () => {
      const [a, b] = await two();
      await a.saveTokens(token('old'));
      await b.tokens();
      await a.saveTokens(token('new'));
      await b.invalidateCredentials('tokens');
      expect(await b.tokens()).toEqual(token('new'));
      await b.invalidateCredentials('tokens');
      expect(await a.tokens()).toBeUndefined();
    });
  });
});

import { describe, expect, it } from 'vitest';
import { bareWorkspace, newWorkspace } from '../../../support/cli.ts';

describe.concurrent('detent token', () => {
  it('prints a new token alone on stdout, and the rest for people on stderr', async () => {
    const workspace = await newWorkspace();
    const { code, stdout, stderr } = await workspace.detent(['token', 'create', '--scope', 'read,write']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^tok_\w{16}\.[\w-]{43}\n$/) });
    expect(stderr).toContain('it allows read, write; tenant 1; does not expire');
    expect(await workspace.withLibrary((detent) => detent.tokens.check(stdout.trim()))).toEqual({
      tenantId: 1,
      userId: null,
      name: expect.stringMatching(/^tok_/),
      scopes: ['read', 'write'],
    });
  });

  it('makes a database where there is none, so that a token can be made before the first run', async () => {
    const workspace = await bareWorkspace();
    const { code, stdout } = await workspace.detent(['token', 'create', '--scope', 'admin']);
    expect(code).toBe(0);
    expect(await workspace.withLibrary((detent) => detent.tokens.check(stdout.trim()))).not.toBeNull();
  });

  it('tells programs the token, and what it is bound to', async () => {
    const workspace = await newWorkspace();
    await workspace.detent(['tenant', 'create', 'acme']);
    const bound = [
      '--tenant',
      '2',
      '--user',
      'ada',
      '--expires',
      '30d',
      '--max-runs',
      '5',
      '--name',
      "Ada's phone",
    ];
    const before = Date.now();
    const { view } = await workspace.json<Record<string, unknown>>([
      ...['token', 'create', '--scope', 'read'],
      ...bound,
    ]);
    expect(view).toEqual({
      id: expect.stringMatching(/^tok_/),
      token: expect.stringMatching(/^tok_/),
      scopes: ['read'],
      tenant: 2,
      user: 'ada',
      expiresAt: expect.any(Number),
      maxRuns: 5,
    });
    expect(Number(view.expiresAt) - before).toBeGreaterThanOrEqual(30 * 86_400_000);
    const plain = await workspace.json<object>(['token', 'create', '--scope', 'read']);
    expect(Object.keys(plain.view)).toEqual(['id', 'token', 'scopes', 'tenant']);
  });

  it('says what a token is bound to, and takes an empty list for none', async () => {
    const workspace = await newWorkspace();
    const asked = ['token', 'create', '--scope', 'read', '--user', 'ada', '--sees', 'tenant'];
    const { stderr } = await workspace.detent([...asked, '--agents', 'support, desk', '--workflows', '']);
    expect(stderr).toContain('user "ada", sees the tenant; agents: support, desk; workflows: none');
    const listed = await workspace.json<object[]>(['token', 'list']);
    expect(listed.view).toMatchObject([{ sees: 'tenant', agents: ['support', 'desk'], workflows: [] }]);
    expect((await workspace.detent([...asked.slice(0, -1), 'all'])).code).toBe(2);
  });

  it('makes a login link for a gateway that is running, and lists it with no token', async () => {
    const workspace = await newWorkspace();
    const { code, stdout, stderr } = await workspace.detent(['token', 'login']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^http:\/\/127\.0\.0\.1:7420\/#login=log_\w{16}\.[\w-]{43}\n$/),
    });
    expect(stderr).toContain('once, and before');
    const secret = stdout.trim().split('#login=')[1] ?? '';
    expect((await workspace.detent(['token', 'list'])).stdout).toBe('');
    const uses = await workspace.withLibrary(async ({ tokens }) => [
      await tokens.check(secret),
      await tokens.useLogin(secret),
      await tokens.useLogin(secret),
    ]);
    expect(uses).toEqual([null, true, false]);
    const { view } = await workspace.json<{ loginUrl: string }>([
      ...['token', 'login', '--url', 'https://agent.example/agent/'],
    ]);
    expect(view.loginUrl).toMatch(/^https:\/\/agent\.example\/agent\/#login=log_/);
  });

  it('lists tokens without their secrets', async () => {
    const workspace = await newWorkspace();
    const { stdout: none, stderr } = await workspace.detent(['token', 'list']);
    expect({ none, stderr }).toEqual({ none: '', stderr: expect.stringContaining('there are no tokens') });
    const { view } = await workspace.json<{ id: string; token: string }>([
      ...['token', 'create', '--scope', 'read,approve'],
      ...['--user', 'ada', '--name', 'phone'],
    ]);
    const listed = await workspace.detent(['token', 'list']);
    expect(listed.stdout.trim().split(/ {2,}/)).toEqual([
      view.id,
      'active',
      'read,approve',
      '1',
      'ada',
      expect.stringMatching(/Z$/),
      'never',
      'phone',
    ]);
    const json = await workspace.json<object[]>(['token', 'list']);
    expect(json.view).toEqual([
      {
        id: view.id,
        scopes: ['read', 'approve'],
        tenant: 1,
        user: 'ada',
        name: 'phone',
        status: 'active',
        createdAt: expect.any(Number),
      },
    ]);
    const secret = view.token.split('.')[1] ?? '';
    expect(listed.stdout + json.stdout).not.toContain(secret);
  });

  it('revokes a token by its id or as a whole: a process that is open already refuses it', async () => {
    const workspace = await newWorkspace();
    const create = async () =>
      (await workspace.json<{ id: string; token: string }>(['token', 'create', '--scope', 'read'])).view;
    const [first, second] = [await create(), await create()];
    await workspace.withLibrary(async (detent) => {
      expect(await detent.tokens.check(first.token)).not.toBeNull();
      const revoked = await workspace.detent(['token', 'revoke', first.id], { ownProcess: true });
      expect(revoked).toMatchObject({ code: 0, stdout: `revoked: ${first.id}\n` });
      expect(await detent.tokens.check(first.token)).toBeNull();
    });
    expect((await workspace.json(['token', 'revoke', second.token])).view).toEqual({
      id: second.id,
      revoked: true,
    });
    const again = await workspace.detent(['token', 'revoke', first.id]);
    expect(again).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('already revoked') });
    const { stdout } = await workspace.detent(['token', 'list']);
    expect(stdout.match(/revoked/g)).toHaveLength(2);
    expect(await workspace.detent(['token', 'revoke', 'tok_none'])).toMatchObject({ code: 4, stdout: '' });
  });
});

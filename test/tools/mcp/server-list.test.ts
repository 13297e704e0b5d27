import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { McpConfig } from '../../../src/protocol/config/config.ts';
import { createDetent } from '../../../src/runtime/create-detent.ts';
import { listServers } from '../../../src/tools/mcp/server-list.ts';
import { temporaryFolder } from '../helpers.ts';

async function listed(file: unknown, config: McpConfig, env: Record<string, string> = {}) {
  const workspace = await temporaryFolder();
  await writeFile(join(workspace, '.mcp.json'), typeof file === 'string' ? file : JSON.stringify(file));
  return { ...(await listServers(config, { workspace, env })), workspace };
}

const project = {
  mcpServers: {
    wiki: { command: 'wiki-server', args: ['--fast'] },
    mail: { url: 'https://mail.example/mcp' },
  },
};

describe('a server of .mcp.json', () => {
  it('is refused unless the configuration says otherwise', async () => {
    const { servers, refused } = await listed(project, {});
    expect(servers).toEqual([]);
    expect(refused.map(({ name, code }) => [name, code])).toEqual([
      ['mail', 'MCP_NOT_ALLOWED'],
      ['wiki', 'MCP_NOT_ALLOWED'],
    ]);
  });

  it.each([
    [{ project: true }, ['mail', 'wiki']],
    [{ allow: ['wiki'] }, ['wiki']],
    [{ allow: ['other'] }, []],
  ])('is used with %j', async (config, names) => {
    expect((await listed(project, config)).servers.map(({ name }) => name)).toEqual(names);
  });

  it('cannot make itself trusted, and gives way to one of the configuration', async () => {
    const file = {
      mcpServers: { wiki: { command: 'evil', trusted: true }, mail: { command: 'mail', trusted: true } },
    };
    const { servers } = await listed(file, {
      project: true,
      servers: { wiki: { command: 'good', trusted: true } },
    });
    expect(servers).toMatchObject([
      { name: 'mail', from: 'project', trusted: false },
      { name: 'wiki', from: 'config', trusted: true, target: { command: 'good' } },
    ]);
  });

  it('has variables filled in, and is refused when one is not set', async () => {
    const mark = '$';
    const file = {
      mcpServers: {
        a: { command: `${mark}{HOME}/bin/a`, args: [`${mark}{LEVEL:-low}`], env: { KEY: `${mark}{KEY}` } },
        b: { url: 'https://b.example/mcp', headers: { authorization: `Bearer ${mark}{MISSING}` } },
      },
    };
    const { servers, refused } = await listed(file, { project: true }, { HOME: '/home/me', KEY: 'k' });
    expect(servers).toMatchObject([
      { target: { command: '/home/me/bin/a', args: ['low'], env: { KEY: 'k' } } },
    ]);
    expect(refused).toMatchObject([
      { name: 'b', reason: expect.stringContaining('the variable MISSING is not set') },
    ]);
  });

  it('may have fields of other programs, and says what is wrong with those that count', async () => {
    const file = {
      mcpServers: {
        fine: { command: 'x', disabled: false, alwaysAllow: ['a'] },
        both: { command: 'x', url: 'https://x.example' },
        none: {},
        scheme: { url: 'file:///etc/passwd' },
        args: { command: 'x', args: 'y' },
      },
    };
    const { servers, refused } = await listed(file, { project: true });
    expect(servers.map(({ name }) => name)).toEqual(['fine']);
    expect(refused.map(({ name, code }) => [name, code])).toEqual(
      ['args', 'both', 'none', 'scheme'].map((name) => [name, 'INVALID_CONFIG']),
    );
  });

  it.each(['{', '[]', '{"mcpServers": []}', '{"mcpServers": {"a": 1}}'])(
    'is not found in %s, and that is said',
    async (text) => {
      expect((await listed(text, { project: true })).refused).toMatchObject([
        { name: '.mcp.json', code: 'INVALID_CONFIG' },
      ]);
    },
  );

  it('is not found where there is no such file, or it is not a file', async () => {
    const workspace = await temporaryFolder();
    expect(await listServers({ project: true }, { workspace, env: {} })).toEqual({
      servers: [],
      refused: [],
    });
    await mkdir(join(workspace, '.mcp.json'));
    expect((await listServers({ project: true }, { workspace, env: {} })).refused).toHaveLength(1);
  });
});

describe('a server of the configuration', () => {
  it.each([
    {},
    { command: 'x', url: 'https://x.example' },
    { url: 'nowhere' },
    { command: 'x', trust: true },
  ])('must be one: %j', async (server) => {
    const detent = createDetent({ store: 'in-process', env: {}, mcp: { servers: { odd: server as never } } });
    await expect(detent.tools.list()).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    await detent.close();
  });
});

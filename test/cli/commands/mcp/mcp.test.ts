import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { McpServerView } from '../../../../src/index.ts';
import { bareWorkspace } from '../../../support/cli.ts';
import { oddServer } from '../../../tools/mcp/support.ts';

const echoes = [{ name: 'echo', description: 'says it again' }];

async function withOdd(config: object = {}) {
  const odd = await oddServer({ tools: echoes });
  const mcp = { servers: { odd: odd.config, gone: { command: '/no/such/program' } }, ...config };
  const workspace = await bareWorkspace({ 'detent.config.json': JSON.stringify({ mcp }) });
  return { odd, workspace };
}

describe('detent mcp list', () => {
  it('tells which servers answer, what they have, and why others cannot be used', async () => {
    const { workspace } = await withOdd();
    await workspace.write('.mcp.json', JSON.stringify({ mcpServers: { wiki: { command: 'wiki' } } }));
    const { code, stdout } = await workspace.detent(['mcp', 'list']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/gone +configuration +failed +it cannot be started/);
    expect(stdout).toMatch(/odd +configuration +connected, 1 tool {2}/);
    expect(stdout).toMatch(/wiki +\.mcp\.json +refused +.*mcp\.allow/);
    const { view } = await workspace.json<{ servers: McpServerView[] }>(['mcp', 'list']);
    expect(view.servers.map(({ name, status, tools }) => [name, status, tools.length])).toEqual([
      ['gone', 'failed', 0],
      ['odd', 'connected', 1],
      ['wiki', 'refused', 0],
    ]);
  });

  it('shows no secret that was filled in for a variable', async () => {
    const args = ['-e', 'process.exit(1)', '$' + '{WIKI_TOKEN}'];
    const mcp = { servers: { wiki: { command: process.execPath, args } } };
    const workspace = await bareWorkspace({ 'detent.config.json': JSON.stringify({ mcp }) });
    const { stdout } = await workspace.detent(['mcp', 'list', '--json'], {
      env: { WIKI_TOKEN: 'tok_0123456789' },
    });
    expect(stdout).toContain('[redacted:WIKI_TOKEN]');
    expect(stdout).not.toContain('tok_0123456789');
  });
});

describe('detent mcp test', () => {
  it('ends with 0 for a server that can be used, with 1 for another, with 4 for none', async () => {
    const { workspace } = await withOdd();
    const good = await workspace.detent(['mcp', 'test', 'odd']);
    expect([good.code, good.stdout]).toEqual([
      0,
      'odd 1.0.0, protocol 2025-11-25, 1 tool\nmcp__odd__echo  says it again\n',
    ]);
    expect(await workspace.detent(['mcp', 'test', 'gone'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be started'),
    });
    expect(await workspace.detent(['mcp', 'test', 'nope'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('there are gone, odd'),
    });
  });
});

describe('detent mcp add and remove', () => {
  it('change .mcp.json and leave all else in it as it was', async () => {
    const kept = `{\n    "inputs": "some",\n    "mcpServers": {\n        "old": {\n            "command": "old",\n            "extra": true\n        }\n    }\n}\n`;
    const workspace = await bareWorkspace({ '.mcp.json': kept });
    const file = () => readFile(workspace.path('.mcp.json'), 'utf8');
    const mark = '$';
    const added = await workspace.detent([
      'mcp',
      'add',
      'wiki',
      '--env',
      `KEY=${mark}{WIKI_KEY}`,
      '--',
      'npx',
      '-y',
      'wiki',
    ]);
    expect(added).toMatchObject({ code: 0, stderr: expect.stringContaining('mcp: { allow: ["wiki"] }') });
    expect(JSON.parse(await file())).toEqual({
      inputs: 'some',
      mcpServers: {
        old: { command: 'old', extra: true },
        wiki: { command: 'npx', args: ['-y', 'wiki'], env: { KEY: `${mark}{WIKI_KEY}` } },
      },
    });
    expect(await workspace.detent(['mcp', 'add', 'wiki', 'https://wiki.example/mcp'])).toMatchObject({
      code: 1,
    });
    expect(
      await workspace.detent([
        'mcp',
        'add',
        'wiki',
        'https://wiki.example/mcp',
        '--header',
        'a=b',
        '--replace',
      ]),
    ).toMatchObject({ code: 0 });
    expect(JSON.parse(await file()).mcpServers.wiki).toEqual({
      type: 'http',
      url: 'https://wiki.example/mcp',
      headers: { a: 'b' },
    });
    expect(await workspace.detent(['mcp', 'remove', 'wiki'])).toMatchObject({ code: 0 });
    expect(await file()).toBe(kept);
    expect(await workspace.detent(['mcp', 'remove', 'wiki'])).toMatchObject({ code: 4 });
  });

  it('lose no server when several are added at once', async () => {
    const workspace = await bareWorkspace({ '.mcp.json': '{}' });
    const names = ['a', 'b', 'c', 'd'];
    const add = (name: string) => workspace.detent(['mcp', 'add', name, `https://${name}.example/mcp`]);
    expect((await Promise.all(names.map(add))).map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const { mcpServers } = JSON.parse(await readFile(workspace.path('.mcp.json'), 'utf8'));
    expect(Object.keys(mcpServers).toSorted()).toEqual(names);
  });
});

describe('detent mcp allow', () => {
  it('accepts a tool that has changed; until then it is refused, and list and doctor say so', async () => {
    const { odd, workspace } = await withOdd();
    expect((await workspace.detent(['tools', 'list'])).stdout).toMatch(/mcp__odd__echo +unsafe +asks/);
    odd.order({ tools: [{ name: 'echo', description: 'says something else' }] });
    expect((await workspace.detent(['mcp', 'list'])).stdout).toContain('odd echo: TOOL_CHANGED');
    expect((await workspace.detent(['doctor'])).stdout).toMatch(
      /warn +MCP server odd +1 tool; changed .*: echo/,
    );
    expect(await workspace.detent(['mcp', 'allow', 'odd', 'nope'])).toMatchObject({ code: 4 });
    expect(await workspace.detent(['mcp', 'allow', 'odd', 'echo'])).toMatchObject({
      code: 0,
      stdout: 'accepted odd echo: says something else\n',
    });
    expect((await workspace.detent(['mcp', 'list'])).stdout).not.toContain('TOOL_CHANGED');
  });
});

describe('detent tools list', () => {
  it('says why the tools of a server are missing', async () => {
    const { workspace } = await withOdd();
    const { stdout, stderr } = await workspace.detent(['tools', 'list']);
    expect(stdout).toContain('mcp__odd__echo');
    expect(stderr).toMatch(/MCP server gone: it cannot be started/);
  });
});

describe('detent doctor', () => {
  it('asks every server, and none with --offline', async () => {
    const { odd, workspace } = await withOdd();
    expect((await workspace.detent(['doctor', '--offline'])).stdout).toContain('not checked');
    expect(odd.pids()).toEqual([]);
    const { stdout } = await workspace.detent(['doctor']);
    expect(stdout).toMatch(/ok +MCP server odd +1 tool\n/);
    expect(stdout).toMatch(/warn +MCP server gone/);
  });
});

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Tool } from '../../../src/protocol/tool.ts';
import { editFileTool } from '../../../src/tools/builtin/edit-file.ts';
import { writeFileTool } from '../../../src/tools/builtin/write-file.ts';
import { callTool, fakeTool, planContext, temporaryFolder, toolboxOf } from '../helpers.ts';

const plain = (text: string) => text;

/** What a person is shown of a call in a workspace. */
async function previewed(tool: Tool, args: object, workspace: string, redact = plain) {
  const context = planContext({ preview: { workspace, redact } });
  const plan = await toolboxOf(tool).plan(tool.name, JSON.stringify(args), context);
  return 'preview' in plan ? plan.preview : undefined;
}

async function workspaceWith(content?: string | Buffer): Promise<string> {
  const workspace = await temporaryFolder();
  if (content !== undefined) await writeFile(join(workspace, 'list.txt'), content);
  return workspace;
}

const lines = (...all: string[]) => `${all.join('\n')}\n`;

describe('the preview of edit_file', () => {
  const edit = { path: 'list.txt', old_text: 'milk', new_text: 'oat milk' };

  it('is a unified diff with the lines around', async () => {
    const workspace = await workspaceWith(
      lines('1', '2', 'bread', 'tea', 'milk', 'eggs', 'rice', 'salt', '9'),
    );
    expect((await previewed(editFileTool(), edit, workspace))?.text).toBe(
      [
        '--- list.txt',
        '+++ list.txt',
        '@@ -2,7 +2,7 @@',
        ' 2',
        ' bread',
        ' tea',
        '-milk',
        '+oat milk',
        ' eggs',
        ' rice',
        ' salt',
      ].join('\n'),
    );
    expect(await readFile(join(workspace, 'list.txt'), 'utf8')).toContain('\nmilk\n');
  });

  it('says that the call would fail, and why', async () => {
    expect((await previewed(editFileTool(), edit, await workspaceWith('bread\n')))?.text).toMatch(
      /^As things are, the call would fail: old_text does not occur/,
    );
    const outside = { ...edit, path: '../list.txt' };
    expect((await previewed(editFileTool(), outside, await workspaceWith()))?.text).toContain(
      'outside the workspace',
    );
  });

  it('shows no known secret, not one of several lines either', async () => {
    const workspace = await workspaceWith(lines('key:', 'AAAA-secret', 'BBBB-secret', 'milk'));
    const redact = (text: string) => text.replaceAll('AAAA-secret\nBBBB-secret', '[redacted]');
    const text = (await previewed(editFileTool(), edit, workspace, redact))?.text;
    expect(text).toContain(' [redacted]\n-milk');
    expect(text).not.toContain('secret');
  });

  it('is cut when it is long', async () => {
    const workspace = await workspaceWith('a\n'.repeat(5_000));
    const all = { path: 'list.txt', old_text: 'a', new_text: 'b', replace_all: true };
    const text = (await previewed(editFileTool(), all, workspace))?.text ?? '';
    expect(text.length).toBeLessThan(20_000);
    expect(text).toMatch(/5000 replacements|more lines/);
  });
});

describe('the preview of write_file', () => {
  const write = { path: 'list.txt', content: 'milk\neggs\n' };

  it('is the file, when it is new', async () => {
    expect(await previewed(writeFileTool(), write, await workspaceWith())).toEqual({
      text: 'new file list.txt, 10 bytes\n+milk\n+eggs',
      version: 'none',
    });
  });

  it('is a diff, when it replaces one', async () => {
    const preview = await previewed(writeFileTool(), write, await workspaceWith('milk\nsalt\n'));
    expect(preview?.text).toBe('--- list.txt\n+++ list.txt\n@@ -1,2 +1,2 @@\n milk\n-salt\n+eggs');
    expect(preview?.version).toMatch(/^[0-9a-f]{32}$/);
  });

  it('says what is no text, and what changes nothing', async () => {
    const binary = await previewed(writeFileTool(), write, await workspaceWith(Buffer.from([0, 1, 2])));
    expect(binary?.text).toBe('replaces list.txt, 3 bytes that are not text, with 10 bytes');
    const same = await previewed(writeFileTool(), write, await workspaceWith(write.content));
    expect(same?.text).toBe('list.txt holds exactly this already; nothing changes');
  });

  it('holds: the file is not written when it has changed since', async () => {
    for (const [before, after] of [
      ['old\n', 'newer\n'],
      [undefined, 'made meanwhile\n'],
    ] as const) {
      const workspace = await workspaceWith(before);
      const version = (await previewed(writeFileTool(), write, workspace))?.version ?? '';
      await writeFile(join(workspace, 'list.txt'), after);
      const refused = await callTool(writeFileTool(), write, { workspace, previewed: version });
      expect(refused).toMatchObject({ isError: true, code: 'FILE_CHANGED' });
      expect(await readFile(join(workspace, 'list.txt'), 'utf8')).toBe(after);
    }
  });

  it('holds: the file is written when it is as it was', async () => {
    for (const before of ['old\n', undefined]) {
      const workspace = await workspaceWith(before);
      const version = (await previewed(writeFileTool(), write, workspace))?.version ?? '';
      const written = await callTool(writeFileTool(), write, { workspace, previewed: version });
      expect(written.isError).toBe(false);
    }
  });
});

describe('previews', () => {
  it('are not made for calls that need no approval, or when no preview is wanted', async () => {
    const seen: unknown[] = [];
    const preview = async (args: unknown) => ({ text: String(seen.push(args)) });
    const quiet = fakeTool({ confirm: false, preview });
    expect(await previewed(quiet, {}, '/nowhere')).toBeUndefined();
    const asking = fakeTool({ confirm: true, preview });
    expect(await toolboxOf(asking).plan('fake', '{}', planContext())).not.toHaveProperty('preview');
    expect(seen).toEqual([]);
  });

  it('that are no text are left out', async () => {
    const preview = async () => ({ text: 7 }) as never;
    expect(await previewed(fakeTool({ confirm: true, preview }), {}, '/nowhere')).toBeUndefined();
  });

  it('of a folder say so', async () => {
    const workspace = await temporaryFolder();
    await mkdir(join(workspace, 'list.txt'));
    const write = { path: 'list.txt', content: '' };
    expect((await previewed(writeFileTool(), write, workspace))?.text).toContain('is a folder');
  });
});

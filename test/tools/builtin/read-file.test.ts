import { execFileSync } from 'node:child_process';
import { mkdir, open, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFileTool } from '../../../src/tools/builtin/read-file.ts';
import { callTool, temporaryFolder } from '../helpers.ts';

async function reading(content: string | Uint8Array, args: { offset?: number; limit?: number } = {}) {
  const workspace = await temporaryFolder();
  await writeFile(join(workspace, 'f.txt'), content);
  return callTool(readFileTool(), { path: 'f.txt', ...args }, { workspace });
}

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}\n`).join('');

describe('read_file', () => {
  it('gives exactly what is in the file, so that edit_file finds it', async () => {
    expect((await reading('  a\n\tb\n\n')).text).toBe('  a\n\tb\n\n');
    expect((await reading('no newline at the end')).text).toBe('no newline at the end');
  });

  it('gives any text file of ordinary size unchanged', async () => {
    const workspace = await temporaryFolder();
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\t', '中', '😀', '\r') });
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        fc.pre(content !== '' && !content.includes('\r\n'));
        await writeFile(join(workspace, 'f.txt'), content);
        expect((await callTool(readFileTool(), { path: 'f.txt' }, { workspace })).text).toBe(content);
      }),
      { numRuns: 100 },
    );
  });

  it('gives a range of lines and says where the file continues', async () => {
    expect((await reading(lines(1, 5), { offset: 2, limit: 2 })).text).toBe(
      `${lines(2, 3)}[lines 2-3; the file continues: call read_file with offset 4]`,
    );
    expect((await reading(lines(1, 5), { limit: 5 })).text).toBe(lines(1, 5));
    expect((await reading(lines(1, 5), { offset: 4 })).text).toBe(
      `${lines(4, 5)}[lines 4-5, the end of the file]`,
    );
  });

  it('stops at 2000 lines by default', async () => {
    expect((await reading(lines(1, 2001))).text).toBe(
      `${lines(1, 2000)}[lines 1-2000; the file continues: call read_file with offset 2001]`,
    );
    expect((await reading(lines(1, 2000))).text).toBe(lines(1, 2000));
  });

  it('stops before the size at which an output is kept aside, at the end of a line', async () => {
    const { text } = await reading(`${'x'.repeat(999)}\n`.repeat(100));
    expect(Buffer.byteLength(text)).toBeLessThan(50_000);
    expect(text).toMatch(/x\n\[lines 1-40; the file continues: call read_file with offset 41\]$/);
  });

  it('shows every line of a file to a model that follows the notes', async () => {
    const content = Array.from({ length: 900 }, (_, i) => `${i} ${'y'.repeat(i % 300)}\n`).join('');
    const workspace = await temporaryFolder();
    await writeFile(join(workspace, 'f.txt'), content);
    let seen = '';
    for (let offset: number | undefined = 1; offset !== undefined; ) {
      const { text } = await callTool(readFileTool(), { path: 'f.txt', offset }, { workspace });
      seen += text.replace(/\[[^\]]*\]$/, '');
      const next = /with offset (\d+)\]$/.exec(text)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    expect(seen).toBe(content);
  });

  it('cuts a very long line between characters, and says so', async () => {
    const { text } = await reading(`${'😀'.repeat(5000)}\nshort\n`);
    expect(text).toBe(`${'😀'.repeat(1000)}\nshort\n[only the first 2000 characters of line 1]`);
    expect((await reading(`a${'😀'.repeat(5000)}`)).text.isWellFormed()).toBe(true);
  });

  it('cuts at characters, and not where a chunk of the file ends', async () => {
    const content = `${'中'.repeat(40)}\n`.repeat(1500);
    const first = await reading(content, { limit: 300 });
    expect(first.text).toContain(`${'中'.repeat(40)}\n`.repeat(300));
    expect((await reading(content, { offset: 600, limit: 300 })).text).not.toContain('\uFFFD');
  });

  it('says that a file is empty', async () => {
    expect(await reading('')).toEqual({ isError: false, code: null, text: '[the file is empty]' });
  });

  it('leaves out the byte order mark', async () => {
    expect((await reading('\uFEFFhello\n')).text).toBe('hello\n');
    expect((await reading('\uFEFF')).text).toBe('');
  });

  it('says that line ends are CRLF, and keeps them', async () => {
    expect((await reading('a\r\nb\r\n')).text).toBe(
      'a\r\nb\r\n[line ends are CRLF: write \\r\\n in old_text and new_text]',
    );
  });

  it('says what is not UTF-8', async () => {
    const { text } = await reading(Buffer.from([0xc4, 0xe3, 0x0a]));
    expect(text).toMatch(/^\uFFFD+\n\[not all of it is UTF-8/);
  });

  it('refuses an offset past the end', async () => {
    expect(await reading('a\nb', { offset: 3 })).toMatchObject({
      code: 'PAST_END',
      text: 'offset 3 is past the end: "f.txt" has 2 lines',
    });
  });

  it('refuses binary files', async () => {
    expect(await reading(Buffer.from('PK\x03\x04\0\0'))).toMatchObject({ code: 'BINARY_FILE' });
  });

  it('refuses folders and what does not exist, without naming the host’s folders', async () => {
    const workspace = await temporaryFolder();
    await mkdir(join(workspace, 'd'));
    await writeFile(join(workspace, 'f'), '');
    const failure = async (path: string) => callTool(readFileTool(), { path }, { workspace });
    expect(await failure('d')).toMatchObject({
      code: 'IS_A_FOLDER',
      text: '"d" is a folder, not a file; use list_files',
    });
    expect(await failure('no')).toMatchObject({ code: 'FILE_NOT_FOUND' });
    expect(await failure('f/x')).toMatchObject({ code: 'NOT_A_FOLDER' });
    expect((await failure('no')).text).not.toContain(workspace);
  });

  it('refuses pipes, sockets and devices at once, instead of waiting on them', async () => {
    const workspace = await temporaryFolder();
    execFileSync('/usr/bin/mkfifo', [join(workspace, 'pipe')]);
    const server = createServer();
    await new Promise<void>((done) => server.listen(join(workspace, 'socket'), done));
    for (const path of ['pipe', 'socket'])
      expect(await callTool(readFileTool(), { path }, { workspace })).toMatchObject({ code: 'NOT_A_FILE' });
    await new Promise((done) => server.close(done));
  });

  it('follows links that stay inside', async () => {
    const workspace = await temporaryFolder();
    await writeFile(join(workspace, 'f'), 'content');
    await symlink('f', join(workspace, 'link'));
    expect((await callTool(readFileTool(), { path: 'link' }, { workspace })).text).toBe('content');
  });

  it('reads a part of a huge file, and of a huge line, in bounded memory', async () => {
    const workspace = await temporaryFolder();
    const handle = await open(join(workspace, 'huge'), 'w');
    const megabyte = Buffer.alloc(1024 * 1024, `${'x'.repeat(127)}\n`);
    for (let i = 0; i < 100; i++) await handle.write(megabyte);
    megabyte.fill('y');
    for (let i = 0; i < 100; i++) await handle.write(megabyte);
    await handle.close();
    const before = process.memoryUsage().rss;
    const near = await callTool(readFileTool(), { path: 'huge', offset: 819_200, limit: 2 }, { workspace });
    expect(near.text).toMatch(
      /^x{127}\ny{2000}\n\[lines 819200-819201, the end of the file; only the first 2000 c/,
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024);
  });
});

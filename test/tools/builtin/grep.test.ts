import { symlink, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { grepTool } from '../../../src/tools/builtin/grep.ts';
import { writeFiles } from '../../support/files.ts';
import { callTool, temporaryFolder } from '../helpers.ts';

async function workspaceOf(files: Record<string, string | Buffer>) {
  const workspace = await temporaryFolder();
  await writeFiles(workspace, files);
  const grep = (args: object) => callTool(grepTool(), args, { workspace });
  return { workspace, grep };
}

describe('grep', () => {
  it('gives path, line and text of what matches, in order of path', async () => {
    const { grep } = await workspaceOf({ 'b.txt': 'x\nfoo 1\n', 'a/c.txt': 'foo 2', 'z.txt': 'bar' });
    expect((await grep({ pattern: 'fo+ \\d$' })).text).toBe('a/c.txt:1:foo 2\nb.txt:2:foo 1');
  });

  it('says where it found nothing', async () => {
    const { grep } = await workspaceOf({ 'a.txt': 'x', 'b.txt': 'y' });
    expect(await grep({ pattern: 'foo' })).toMatchObject({ isError: false, text: '[no match in 2 files]' });
  });

  it('searches for plain text, and ignores case, when the call asks for it', async () => {
    const { grep } = await workspaceOf({ 'a.txt': 'a.c\nabc\nA.C' });
    expect((await grep({ pattern: 'a.c', literal: true })).text).toBe('a.txt:1:a.c');
    expect((await grep({ pattern: 'a.c', literal: true, ignore_case: true })).text).toBe(
      'a.txt:1:a.c\na.txt:3:A.C',
    );
    expect((await grep({ pattern: 'b', path: 'a.txt' })).text).toBe('a.txt:2:abc');
  });

  it('shows context, and gaps', async () => {
    const { grep } = await workspaceOf({
      'a.txt': '1\n2\nhit\n4\n5\n6\n7\nhit\nhit\n10\n',
      'b.txt': 'hit\n',
    });
    expect((await grep({ pattern: 'hit', context: 1 })).text).toBe(
      [
        'a.txt-2-2',
        'a.txt:3:hit',
        'a.txt-4-4',
        '--',
        'a.txt-7-7',
        'a.txt:8:hit',
        'a.txt:9:hit',
        'a.txt-10-10',
        '--',
        'b.txt:1:hit',
      ].join('\n'),
    );
  });

  it('counts lines and keeps context over pieces of a large file', async () => {
    const lines = Array.from({ length: 60_000 }, (_, i) => `line ${i + 1} of many`);
    lines[12_345] = 'the needle';
    lines[59_999] = 'the needle again';
    const { grep } = await workspaceOf({ 'big.txt': lines.join('\r\n') });
    expect((await grep({ pattern: 'needle.*$', context: 1 })).text).toBe(
      [
        'big.txt-12345-line 12345 of many',
        'big.txt:12346:the needle',
        'big.txt-12347-line 12347 of many',
        '--',
        'big.txt-59999-line 59999 of many',
        'big.txt:60000:the needle again',
      ].join('\n'),
    );
  });

  it('stops at so many matches, and says so', async () => {
    const { grep } = await workspaceOf({ 'a.txt': 'x\n'.repeat(500), 'b.txt': 'x\n' });
    const { text } = await grep({ pattern: 'x', max_matches: 3 });
    expect(text).toBe(
      'a.txt:1:x\na.txt:2:x\na.txt:3:x\n[stopped at 3 matches; narrow path, glob or pattern, or raise max_matches]',
    );
    const long = await workspaceOf({ 'a.txt': `${'y'.repeat(290)}\n`.repeat(1000) });
    const all = (await long.grep({ pattern: 'y', max_matches: 1000 })).text;
    expect(all.length).toBeLessThan(41_000);
    expect(all).toMatch(/\[stopped at 40000 characters; narrow path, glob or pattern\]$/);
  });

  it('shows of a long line what is around the match', async () => {
    const { grep } = await workspaceOf({ 'a.js': `${'x'.repeat(5_000)}needle${'y'.repeat(5_000)}` });
    const { text } = await grep({ pattern: 'needle' });
    expect(text).toMatch(/^a\.js:1:…x+needley+…$/);
    expect(text.length).toBeLessThan(320);
  });

  it.each(['(a+)+$', '(a|a)*b', '(.*)*x', '(a|aa)+$', '([a-z]+)*!'])(
    'does not hang on %s',
    async (pattern) => {
      const { grep } = await workspaceOf({ 'a.txt': `${'a'.repeat(100_000)}!b` });
      expect((await grep({ pattern })).isError).toBe(false);
    },
  );

  it.each(['(', '(?=a)', '(a)\\1', '[', 'a{1,5000}', '*'])('refuses %s, and says why', async (pattern) => {
    const { grep } = await workspaceOf({ 'a.txt': '(' });
    const { code, text } = await grep({ pattern });
    expect(code).toBe('INVALID_PATTERN');
    expect(text).toMatch(/no RE2 regular expression: .*; set literal/);
    expect((await grep({ pattern, literal: true })).isError).toBe(false);
  });

  it('narrows by glob and path', async () => {
    const { grep } = await workspaceOf({
      'src/a.ts': 'x',
      'src/deep/b.ts': 'x',
      'src/c.md': 'x',
      'd.ts': 'x',
    });
    expect((await grep({ pattern: 'x', glob: '*.ts' })).text).toBe(
      'd.ts:1:x\nsrc/a.ts:1:x\nsrc/deep/b.ts:1:x',
    );
    expect((await grep({ pattern: 'x', glob: '*.{md,txt}', path: 'src' })).text).toBe('src/c.md:1:x');
    expect((await grep({ pattern: 'x', glob: 'src/*.ts' })).text).toBe('src/a.ts:1:x');
    expect((await grep({ pattern: 'x', glob: 'deep/**', path: 'src' })).text).toBe('src/deep/b.ts:1:x');
  });

  it('leaves out what .gitignore does, .git, node_modules and the folder of the runtime', async () => {
    const { grep } = await workspaceOf({
      '.gitignore': 'dist/\n*.log\n!keep.log\n',
      'src/.gitignore': 'generated.ts',
      'dist/a': 'x',
      'b.log': 'x',
      'keep.log': 'x',
      'src/generated.ts': 'x',
      'src/own.ts': 'x',
      '.git/config': 'x',
      'node_modules/m/index.js': 'x',
      '.detent/secret': 'x',
    });
    expect((await grep({ pattern: '^x' })).text).toBe(
      'keep.log:1:x\nsrc/own.ts:1:x\n[3 left out by .gitignore; set ignored to search them]',
    );
    expect((await grep({ pattern: '^x', path: 'src' })).text).toContain('src/own.ts:1:x\n[1 left');
    expect((await grep({ pattern: '^x', ignored: true })).text).toBe(
      'b.log:1:x\ndist/a:1:x\nkeep.log:1:x\nsrc/generated.ts:1:x\nsrc/own.ts:1:x',
    );
    expect((await grep({ pattern: '^x', path: 'dist' })).text).toBe('dist/a:1:x');
    expect((await grep({ pattern: '^x', path: 'node_modules' })).text).toBe('node_modules/m/index.js:1:x');
    expect(await grep({ pattern: 'x', path: '.detent' })).toMatchObject({ code: 'PATH_RESERVED' });
  });

  it('passes over binary and huge files, and says so', async () => {
    const { grep, workspace } = await workspaceOf({
      'a.bin': Buffer.from('x\0'),
      'b.txt': 'x',
      'huge.txt': 'x',
    });
    await truncate(join(workspace, 'huge.txt'), 50 * 2 ** 20);
    expect((await grep({ pattern: 'x' })).text).toBe(
      'b.txt:1:x\n[1 binary file passed over; not searched: huge.txt (50 MB)]',
    );
    expect(await grep({ pattern: 'x', path: 'a.bin' })).toMatchObject({ code: 'BINARY_FILE' });
    expect(await grep({ pattern: 'x', path: 'huge.txt' })).toMatchObject({ code: 'FILE_TOO_LARGE' });
    expect(await grep({ pattern: 'x', path: 'no' })).toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  it('follows no link', async () => {
    const { grep, workspace } = await workspaceOf({ 'ws/a.txt': 'x', 'outside/secret.txt': 'x' });
    await symlink(join(workspace, 'outside'), join(workspace, 'ws', 'folder'));
    await symlink(join(workspace, 'outside/secret.txt'), join(workspace, 'ws', 'file'));
    const inside = (args: object) => callTool(grepTool(), args, { workspace: join(workspace, 'ws') });
    expect((await inside({ pattern: 'x' })).text).toBe('ws/a.txt:1:x'.slice(3));
    expect(await inside({ pattern: 'x', path: 'folder' })).toMatchObject({ code: 'PATH_OUTSIDE_WORKSPACE' });
    expect((await grep({ pattern: 'x' })).text).toBe('outside/secret.txt:1:x\nws/a.txt:1:x');
  });

  it('does not let a file name forge a line', async () => {
    const { grep } = await workspaceOf({ 'a\nb': 'x' });
    expect((await grep({ pattern: 'x' })).text).toBe('"a\\nb":1:x');
  });
});

describe('a pattern that RE2 must follow state by state', () => {
  it('lets other work have its turn, and shows the match in a long line', async () => {
    const { grep } = await workspaceOf({ 'a.txt': `${'a'.repeat(180_000)}xxd${'b'.repeat(1_000)}` });
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const { text } = await grep({ pattern: '([ab]x?){0,160}xd' });
    clearInterval(timer);
    expect(text).toContain('xxd');
    expect(text.length).toBeLessThan(400);
    expect(turns).toBeGreaterThan(0);
  });

  it('is refused when it is too large', async () => {
    const { grep } = await workspaceOf({ 'a.txt': 'x' });
    expect(await grep({ pattern: '(x?[ab]){0,499}' })).toMatchObject({ code: 'INVALID_PATTERN' });
  });
});

import { link, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { linesOf } from '../../src/memory/markdown/blocks.ts';
import { Memory, withoutLines } from '../../src/memory/memory.ts';
import { withEntry } from '../../src/memory/notes/day-log.ts';
import { itDeep } from '../support/deep.ts';
import type { Files } from '../support/files.ts';
import { describeWith } from '../support/needs.ts';
import { inSizes } from '../support/size.ts';
import { ask, holdsSnippet, indexOf, patient, workspaceWith } from './support.ts';

async function opened(files: Files) {
  const home = await workspaceWith(files);
  const memory = new Memory({ home, isWatching: false });
  onTestFinished(() => memory.close());
  return { home, memory };
}

const at = new Date(2026, 2, 5, 12).getTime();
const day = 'memory/2026-03-05.md';
const line = (text: string, isUntrusted = false) => ({ text, isUntrusted });

describe('a path', () => {
  it.each([
    'memory/%2e%2e/secret.md',
    '%6demory/a.md',
    'memory%2fa.md',
    'memory/..%2fsecret.md',
    'memory/%c0%ae%c0%ae/secret.md',
    'memory/\u00c0\u00ae\u00c0\u00ae/secret.md',
    'memory/a.md\0',
    'memory/a.md\0.md',
    'memory/\0/../../secret.md',
    'memory/../memory/a.md',
    'memory/../secret.md',
    'memory/sub/../a.md',
    'memory/./a.md',
    'memory//a.md',
    '././MEMORY.md',
    'MEMORY.md/../secret.md',
    'MEMORY.md/',
    'memory/a.md/',
    'memory/a.md.',
    'memory/a.md ',
    ' memory/a.md',
    'memory /a.md',
    'memory/a.md::$DATA',
    'memory\\a.md',
    'memory/..\\secret.md',
    'C:\\memory\\a.md',
    '\\\\?\\C:\\memory\\a.md',
    '/memory/a.md',
    '~/memory/a.md',
    'file:///memory/a.md',
    '/proc/self/root/etc/passwd',
    '/proc/self/cwd/memory/a.md',
    'memory/../../../../../proc/self/root/etc/passwd',
    'memory/.../a.md',
    'memory/．．/secret.md',
    'memory/․․/secret.md',
    'memory∕a.md',
    `memory/${'a/'.repeat(600)}a.md`,
    `memory/${'a'.repeat(300)}.md`,
    'memory/.a.md',
    'MEMORY.md\n',
    'memory/none\n.md',
  ])('like %j reads nothing', async (path) => {
    const { home, memory } = await opened({ 'memory/a.md': 'a note\n', 'secret.md': 'secret\n' });
    const text = await memory.get(path).catch((error) => error);
    expect(text).toMatchObject({ code: expect.stringMatching(/^(MEMORY_PATH|NOT_FOUND)$/) });
    await expect(memory.forget({ path, from: 1, to: 1 })).rejects.toMatchObject({ code: text.code });
    expect(await readFile(join(home, 'secret.md'), 'utf8')).toBe('secret\n');
  });

  it('in other letters is the same file at most', async () => {
    const { memory } = await opened({ 'memory/a.md': 'a note\n' });
    for (const path of ['MEMORY/a.md', 'memory/A.md', 'memory/a.MD'])
      await memory.get(path).then(
        ({ text }) => expect(text).toBe('a note'),
        ({ code }) => expect(code).toMatch(/^(MEMORY_PATH|NOT_FOUND)$/),
      );
  });

  it('of a second name of a file is that file, which an agent cannot give it', async () => {
    const { home, memory } = await opened({ 'memory/a.md': 'a note\n' });
    await link(join(home, 'memory/a.md'), join(home, 'memory/b.md'));
    expect((await memory.get('memory/b.md')).text).toBe('a note');
    // What is written is a file of its own again.
    await memory.forget({ path: 'memory/b.md', from: 1, to: 1 });
    expect(await readFile(join(home, 'memory/a.md'), 'utf8')).toBe('a note\n');
  });

  it('that leads through a link is neither read nor written', async () => {
    const outside = await workspaceWith({ 'MEMORY.md': 'the long-term file of somebody else\n' });
    const { home, memory } = await opened({});
    await symlink(outside, join(home, 'memory'));
    const refused = { code: expect.stringMatching(/^MEMORY_(NOT_A_FILE|PATH)$/) };
    await expect(memory.write([line('a note')], { at, key: null })).rejects.toMatchObject(refused);
    await expect(memory.write([line('a note')], { at, key: null, to: 'long_term' })).rejects.toMatchObject(
      refused,
    );
    await expect(memory.forget({ path: 'memory/MEMORY.md', from: 1, to: 1 })).rejects.toMatchObject(refused);
    expect(await memory.longTerm()).toBeNull();
    expect(await readFile(join(outside, 'MEMORY.md'), 'utf8')).toContain('somebody else');
  });

  it('of a workspace that is a link itself is as good as any', async () => {
    const { home } = await opened({ 'MEMORY.md': 'a note\n' });
    const above = await workspaceWith({});
    await symlink(home, join(above, 'ws'));
    const memory = new Memory({ home: join(above, 'ws'), isWatching: false });
    onTestFinished(() => memory.close());
    await memory.write([line('another note')], { at, key: null });
    expect((await memory.longTerm())?.text).toBe('a note\n');
    expect((await memory.get(day)).text).toContain('another note');
    expect((await memory.search(['another'])).results).toHaveLength(1);
  });
});

const strange: Files = {
  'memory/cr.md': '# Old Mac\r\rThe heron of the carriage returns.\r\r## Second\r\rMore heron.\r',
  'memory/mixed.md': '# Mixed\r\n\r\nThe heron\rin one line.\n\nheron again\r\n',
  'memory/feeds.md': '# Feeds\n\fThe heron after a form feed.\n\v\nheron\u0085next\u2028line\u2029end\n',
  'memory/table.md': `# Table\n\n| bird | place |\n| --- | --- |\n${'| heron | reed |\n'.repeat(300)}`,
  'memory/fences.md':
    '````md\n```ts\n# heron in a fence\n```\n````\n\n~~~\n# heron in another\n\n    ```\n~~~\n\n```\nheron, never closed\n# no heading\n',
  'memory/marks.md':
    '<!-- run_a:1 -->\n- heron of an agent\n\n<!-- a comment\nof two heron lines -->\n<!-- run_b:2 --> heron behind a mark\n- (untrusted) heron\n',
  'memory/front.md': '---\ntitle: heron\ntags: [a, b]\n---\n\n# Heron\n\ntext\n',
  'memory/bom.md': '\ufeff# Heron with a BOM\n\nheron\n',
  'memory/long.md': `${'egret and more of it '.repeat(20_000)}\n${'苍鹭'.repeat(20_000)}\n${'x'.repeat(100_000)} egret\n`,
  'memory/sub folder/naïve café 苍鹭 (1).markdown': 'heron\n',
  'memory/no-end.md': 'heron without an end',
  'memory/blank.md': '\n\n\n',
};

describe('strange files', () => {
  it('are found with lines that have what is shown, and that get gives', async () => {
    const { home, memory } = await opened(strange);
    const service = indexOf(home);
    expect(await service.status(patient)).toMatchObject({ problems: [] });
    const seen = new Set<string>();
    for (const query of [
      'heron',
      '苍鹭',
      'carriage returns',
      'form feed',
      'reed',
      'next line',
      'untrusted',
      'title',
      'egret',
    ])
      for (const hit of (await service.search({ queries: [query], limit: 100, waitMs: patient })).results) {
        seen.add(hit.path);
        expect(await holdsSnippet(home, hit), hit.path).toBe(true);
        const { path, startLine, endLine } = hit;
        const got = await memory.get(path, { line: startLine, limit: endLine - startLine + 1 });
        if (!path.includes('long')) expect(got.text).toContain(hit.snippet.replace(/^\ufeff/, ''));
        expect([got.startLine, got.endLine]).toEqual([startLine, endLine]);
      }
    expect([...seen].sort()).toEqual(
      Object.keys(strange)
        .filter((path) => !path.includes('blank'))
        .sort(),
    );
  });

  itDeep('with a line of megabytes are indexed', async () => {
    const half = inSizes({ usual: 500_000, deep: 1_000_000, full: 1_000_000 });
    const files = {
      'memory/dots.md': `${'.'.repeat(2 * half)} puffin\n`,
      'memory/spaces.md': `# ${' '.repeat(2 * half)}egret\n`,
      'memory/text.md': `${'The heron stands in the reed. '.repeat(half / 10)}\n`,
      'memory/base64.md': `${Buffer.alloc(2 * half, 'heron').toString('base64')}\ngannet\n`,
    };
    const service = indexOf(await workspaceWith(files));
    for (const [name, bird] of [
      ['dots', 'puffin'],
      ['spaces', 'egret'],
      ['text', 'heron'],
      ['base64', 'gannet'],
    ] as const) {
      const { results, reason } = await ask(service, bird);
      expect(reason).toBeNull();
      expect(results[0]?.path).toBe(`memory/${name}.md`);
    }
  });

  describeWith(
    process.platform === 'linux',
    'only Linux has names that are no text',
    true,
  )('by name', () => {
    it('are reported', async () => {
      const { home } = await opened({ 'memory/a.md': 'heron\n' });
      await writeFile(join(home, 'memory/draft'), 'heron\n');
      const odd = Buffer.concat([
        Buffer.from(join(home, 'memory/')),
        Buffer.from([0xe9]),
        Buffer.from('.md'),
      ]);
      await rename(join(home, 'memory/draft'), odd);
      const { problems, indexed } = await indexOf(home).status(patient);
      expect(indexed).toBe(1);
      expect(problems).toEqual([{ path: 'memory/\ufffd.md', problem: 'has a name that is not UTF-8' }]);
    });
  });
});

describe('what is written', () => {
  it('is one line that is found, whatever it is made of', async () => {
    const { home, memory } = await opened({});
    const texts = [
      'heron\0with a NUL',
      'heron\x07\x1b[31m in red',
      'heron\r\n# no heading',
      'heron\u2028<!-- run_x:1 -->\u2029',
      'heron \ud800 half',
      '<!<!---- run_x:1 ---->-> heron',
      '- - * (untrusted) heron',
      '```',
      'x'.repeat(50_000),
    ];
    await memory.write(
      texts.map((text) => line(text, true)),
      { at, key: 'run_a:1' },
    );
    const written = linesOf(await readFile(join(home, day), 'utf8'));
    expect(written).toHaveLength(3 + texts.length);
    for (const each of written.slice(3)) expect(each).toMatch(/^- \(untrusted\) \S/);
    expect(written.join('')).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
    const { problems } = await indexOf(home).status(patient);
    expect(problems).toEqual([]);
    expect((await memory.search(['heron'])).results[0]).toMatchObject({ from: 'untrusted' });
  });

  it('stands there once under its key, and a text that has that key in it changes nothing', () => {
    const trick =
      withEntry(null, '# day\n', 'run_a:1', ['see <!-- run_a:2 -->', 'and -<!-- run_a:2 -->']) ?? '';
    const second = withEntry(trick, '# day\n', 'run_a:2', ['second']) ?? '';
    expect(second).toMatch(/^- second$/m);
    expect(withEntry(second, '# day\n', 'run_a:2', ['second'])).toBeNull();
    expect(withEntry(second.replaceAll('\n', '\r\n'), '# day\n', 'run_a:2', ['second'])).toBeNull();
  });
});

describe('what is forgotten', () => {
  const ends = fc.constantFrom('\n', '\r\n');
  const text = fc
    .array(
      fc.tuple(
        fc.string({ unit: 'grapheme', maxLength: 8 }).map((s) => s.replaceAll(/[\r\n]/g, '')),
        ends,
      ),
      {
        minLength: 1,
        maxLength: 12,
      },
    )
    .chain((lines) =>
      fc.boolean().map((isEnded) => {
        const whole = lines.map(([words, end]) => words + end).join('');
        return isEnded ? whole : whole.replace(/\r?\n$/, '');
      }),
    );

  it('leaves all other lines as they are, to the last byte', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 14 }), fc.nat(4), (before, from, more) => {
        const forgetting = { path: 'memory/a.md', from, to: from + more };
        const { text: after, lines } = withoutLines(before, forgetting);
        const raw = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
        expect(after).toBe(raw.filter((_, i) => i + 1 < from || i + 1 > from + more).join(''));
        expect(lines).toEqual(linesOf(before).slice(from - 1, from + more));
      }),
      { numRuns: inSizes({ usual: 20, deep: 120, full: 10_000 }) },
    );
  });

  it('is a line of a file of carriage returns alone', () => {
    const { text: after, lines } = withoutLines('a\rb\rc', { path: 'memory/a.md', from: 2, to: 2 });
    expect({ after, lines }).toEqual({ after: 'a\rc', lines: ['b'] });
  });

  it('is refused past the end, and of a folder', async () => {
    const { home, memory } = await opened({ 'memory/a.md': 'one\n' });
    await mkdir(join(home, 'memory/b.md'));
    await expect(memory.forget({ path: 'memory/a.md', from: 2, to: 9 })).rejects.toMatchObject({
      code: 'PAST_END',
    });
    await expect(memory.forget({ path: 'memory/b.md', from: 1, to: 1 })).rejects.toMatchObject({
      code: 'MEMORY_PATH',
    });
    expect(await memory.forget({ run: 'run_none' })).toEqual([]);
    expect(await memory.forget({ path: 'memory/a.md', from: 1, to: 999 })).toEqual([
      { path: 'memory/a.md', lines: ['one'] },
    ]);
  });
});

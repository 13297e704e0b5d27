import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Attachment } from '../../src/runtime/config/request.ts';
import { readFiles } from '../../src/runtime/requests/attachment-bytes.ts';
import { attach } from '../../src/runtime/requests/attachments.ts';
import { temporaryWorkspace } from '../support/detent.ts';
import { heads, pdf, png } from '../support/pictures.ts';

const megabyte = 1_000_000;

/** Attaches to the prompt "Look." in a workspace with these files. */
async function attached(
  attachments: Attachment[],
  files: Record<string, Uint8Array | string> = {},
  maxPromptBytes = 1_000,
) {
  const workspace = join(await temporaryWorkspace(), 'workspace');
  await mkdir(workspace);
  await writeFile(join(workspace, '..', 'outside.png'), png());
  for (const [name, content] of Object.entries(files)) await writeFile(join(workspace, name), content);
  await mkdir(join(workspace, 'folder'));
  await symlink('../outside.png', join(workspace, 'link.png'));
  await symlink('inside.png', join(workspace, 'own-link.png'));
  return attach('Look.', attachments, { workspace, maxPromptBytes });
}

describe('what is attached', () => {
  it('is told by its bytes, whatever it is called', async () => {
    const files = {
      'a.png': png(),
      'b.txt': heads.jpeg,
      c: heads.gif,
      'd.jpeg': heads.webp,
      'e.doc': pdf(),
    };
    const { text, parts } = await attached(
      Object.keys(files).map((path) => ({ path })),
      files,
    );
    expect(text).toBe('Look.');
    expect(parts.map(({ type, mimeType, name }) => [name, type, mimeType])).toEqual([
      ['a.png', 'image', 'image/png'],
      ['b.txt', 'image', 'image/jpeg'],
      ['c', 'image', 'image/gif'],
      ['d.jpeg', 'image', 'image/webp'],
      ['e.doc', 'file', 'application/pdf'],
    ]);
    expect(Buffer.from(parts[0]?.data ?? '', 'base64').equals(png())).toBe(true);
  });

  it('is a text file where it is text, whatever its name promises', async () => {
    const { text, parts } = await attached([{ path: 'photo.png' }, { path: 'empty-ish', name: 'notes' }], {
      'photo.png': 'I am no photo: 你好\n',
      'empty-ish': '\n',
    });
    expect(text).toBe(
      'Look.\n\n[File photo.png, 22 B]\nI am no photo: 你好\n[End of photo.png]\n\n[File notes, 1 B]\n\n[End of notes]',
    );
    expect(parts).toEqual([]);
  });

  it('may be bytes or base64, with a name or without, and with the type that it has', async () => {
    const view = Uint8Array.from(Buffer.concat([Buffer.from('xx'), png()])).subarray(2);
    const { parts } = await attached([
      { data: png() },
      { data: png().toString('base64'), name: ' a\nb.png ', mimeType: 'image/PNG' },
      { data: heads.jpeg, mimeType: 'image/jpg' },
      { data: view, name: '\n' },
    ]);
    expect(parts.map(({ name }) => name)).toEqual([undefined, 'a b.png', undefined, undefined]);
    expect(new Set(parts.map(({ mimeType }) => mimeType))).toEqual(new Set(['image/png', 'image/jpeg']));
  });

  it('may be behind a link that stays in the workspace', async () => {
    const { parts } = await attached([{ path: 'own-link.png' }], { 'inside.png': png() });
    expect(parts[0]).toMatchObject({ type: 'image', name: 'own-link.png' });
  });
});

describe('what cannot be attached', () => {
  const refused: [why: string, attachment: Attachment, code: string, words: RegExp][] = [
    ['a missing file', { path: 'none.png' }, 'ATTACHMENT_NOT_FOUND', /none\.png.*does not exist/],
    ['a folder', { path: 'folder' }, 'ATTACHMENT_UNSUPPORTED', /folder, not a file/],
    ['a file outside', { path: '../outside.png' }, 'ATTACHMENT_NOT_FOUND', /outside the workspace/],
    ['a link out of the workspace', { path: 'link.png' }, 'ATTACHMENT_NOT_FOUND', /outside the workspace/],
    ['a file of the runtime', { path: '.detent/detent.db' }, 'ATTACHMENT_NOT_FOUND', /\.detent/],
    ['an empty file', { path: 'empty.png' }, 'ATTACHMENT_UNSUPPORTED', /empty\.png.*is empty/],
    ['no bytes', { data: '' }, 'ATTACHMENT_UNSUPPORTED', /attachment 1.*is empty/],
    ['another format', { path: 'a.bmp' }, 'ATTACHMENT_UNSUPPORTED', /not a PNG, JPEG, GIF, WebP or PDF/],
    ['a RIFF that is no WebP', { data: heads.wav }, 'ATTACHMENT_UNSUPPORTED', /not a PNG/],
    ['base64 with spaces', { data: 'iVBO Rw0KGgo=' }, 'ATTACHMENT_UNSUPPORTED', /not base64/],
    ['base64 without padding', { data: 'iVBORw0KGg' }, 'ATTACHMENT_UNSUPPORTED', /not base64/],
    ['the URL alphabet', { data: '_-BORw0KGgo=' }, 'ATTACHMENT_UNSUPPORTED', /not base64/],
    ['a data URL', { data: 'data:image/png;base64,iVBORw0KGgo=' }, 'ATTACHMENT_UNSUPPORTED', /not base64/],
    [
      'a type that it has not',
      { data: pdf(), mimeType: 'image/png' },
      'ATTACHMENT_UNSUPPORTED',
      /are application\/pdf/,
    ],
    [
      'text as an image',
      { data: Buffer.from('hi'), mimeType: 'image/png' },
      'ATTACHMENT_UNSUPPORTED',
      /something else/,
    ],
    ['neither bytes nor text', { data: 5 as never }, 'ATTACHMENT_UNSUPPORTED', /neither bytes nor base64/],
    ['base64 of 100 MB', { data: 'A'.repeat(140 * megabyte) }, 'ATTACHMENT_TOO_LARGE', /105\.0 MB/],
    ['a text beyond the limit of prompts', { path: 'long.txt' }, 'ATTACHMENT_TOO_LARGE', /maxPromptBytes/],
  ];

  it.each(refused)('%s', async (_, attachment, code, words) => {
    const files = { 'empty.png': '', 'a.bmp': heads.bmp, 'long.txt': 'x'.repeat(1_001) };
    await expect(attached([attachment], files)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(words),
    });
  });

  it('a file of 100 MB, which is not read', async () => {
    const workspace = await temporaryWorkspace();
    await writeFile(join(workspace, 'big.png'), png());
    await truncate(join(workspace, 'big.png'), 100 * megabyte);
    await expect(
      attach('Look.', [{ path: 'big.png' }], { workspace, maxPromptBytes: 1_000 }),
    ).rejects.toMatchObject({
      code: 'ATTACHMENT_TOO_LARGE',
      message: expect.stringMatching(/100\.0 MB.*20\.0 MB/),
    });
  });

  it('more than 20 MB together, and more than 20 at once', async () => {
    const half = Buffer.concat([png(), Buffer.alloc(10 * megabyte)]);
    await expect(attached([{ data: half }, { data: half }])).rejects.toMatchObject({
      code: 'ATTACHMENT_TOO_LARGE',
    });
    const many = Array.from({ length: 21 }, () => ({ data: png() }));
    await expect(attached(many)).rejects.toMatchObject({ code: 'ATTACHMENT_TOO_LARGE' });
    expect((await attached(many.slice(1))).parts).toHaveLength(20);
  });
});

describe('a file that a person names', () => {
  it('may be anywhere, and is refused before it is read when it is too large or no file', async () => {
    const folder = await temporaryWorkspace();
    await writeFile(join(folder, 'a.png'), png());
    await writeFile(join(folder, 'big'), '');
    await truncate(join(folder, 'big'), 100 * megabyte);
    expect(await readFiles([join(folder, 'a.png')])).toEqual([{ name: 'a.png', data: png() }]);
    const codeOf = (path: string) => readFiles([path]).catch((error) => error.code);
    expect(await codeOf(join(folder, 'none'))).toBe('ATTACHMENT_NOT_FOUND');
    expect(await codeOf(folder)).toBe('ATTACHMENT_UNSUPPORTED');
    expect(await codeOf(join(folder, 'big'))).toBe('ATTACHMENT_TOO_LARGE');
  });
});

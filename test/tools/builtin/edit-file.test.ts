import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editFileTool } from '../../../src/tools/builtin/edit-file.ts';
import { applyEdit, editFate } from '../../../src/tools/files/exact-edit.ts';
import { callTool, probe, temporaryFolder } from '../helpers.ts';

async function editing(content: string | Uint8Array) {
  const workspace = await temporaryFolder();
  const file = join(workspace, 'f.txt');
  await writeFile(file, content);
  const args = (old_text: string, new_text: string, replace_all?: boolean) => ({
    path: 'f.txt',
    old_text,
    new_text,
    ...(replace_all !== undefined && { replace_all }),
  });
  return {
    edit: (...edit: Parameters<typeof args>) => callTool(editFileTool(), args(...edit), { workspace }),
    status: (...edit: Parameters<typeof args>) => probe(editFileTool(), args(...edit), { workspace }),
    content: () => readFile(file, 'utf8'),
  };
}

describe('edit_file', () => {
  it('replaces one exact occurrence and says where', async () => {
    const { edit, content } = await editing('one\ntwo\nthree\n');
    expect((await edit('two', 'TWO')).text).toBe('edited f.txt at line 2');
    expect(await content()).toBe('one\nTWO\nthree\n');
  });

  it('takes new_text literally, dollar signs included', async () => {
    const { edit, content } = await editing('price: X, X');
    await edit('X', '$&$1$$', true);
    expect(await content()).toBe('price: $&$1$$, $&$1$$');
  });

  it('refuses text that is not there, and points at the line that differs in white space only', async () => {
    const { edit, content } = await editing('a\n\tconst x = 1;\n');
    expect(await edit('  const x = 1;', 'y')).toMatchObject({
      code: 'TEXT_NOT_FOUND',
      text: 'old_text does not occur in the file; line 2 is the nearest, compare white space and what follows: "\\tconst x = 1;"',
    });
    expect((await edit('nothing like it', 'y')).text).toContain('read_file shows what it holds now');
    expect(await content()).toBe('a\n\tconst x = 1;\n');
  });

  it('refuses text that is there more than once, unless all are meant', async () => {
    const { edit, content } = await editing('x\ny\nx\n');
    expect(await edit('x', 'z')).toMatchObject({
      code: 'TEXT_NOT_UNIQUE',
      text: expect.stringContaining('occurs 2 times (lines 1, 3)'),
    });
    expect((await edit('x', 'z', true)).text).toBe('edited f.txt: 2 replacements');
    expect(await content()).toBe('z\ny\nz\n');
  });

  it('takes overlapping occurrences for more than one', async () => {
    const { edit } = await editing('aaa');
    expect(await edit('aa', 'b')).toMatchObject({ code: 'TEXT_NOT_UNIQUE' });
  });

  it('does not count a letter through a large file', async () => {
    const { edit } = await editing('a\n'.repeat(5_000_000));
    expect((await edit('a', 'b')).text).toMatch(/^old_text occurs at least 1000 times \(lines 1, 2, /);
  });

  it('refuses to change nothing, and to look for nothing', async () => {
    const { edit } = await editing('x');
    expect(await edit('x', 'x')).toMatchObject({ code: 'NO_CHANGE' });
    expect(await edit('', 'x')).toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });

  it('keeps line ends and byte order mark as they are', async () => {
    const { edit, content } = await editing('\uFEFFone\r\ntwo\r\n');
    expect((await edit('one\ntwo', 'x')).text).toContain('the file has CRLF line ends');
    await edit('one\r\n', 'ONE\r\n');
    expect(await content()).toBe('\uFEFFONE\r\ntwo\r\n');
  });

  it('explains CRLF where the file has none', async () => {
    const { edit } = await editing('one\ntwo\n');
    expect((await edit('one\r\ntwo', 'x')).text).toContain('the file has LF line ends');
  });

  it('refuses a file that is not UTF-8, which writing back would damage', async () => {
    const { edit } = await editing(Buffer.from([0x61, 0xc4, 0xe3]));
    expect(await edit('a', 'b')).toMatchObject({ code: 'NOT_UTF8' });
  });

  it('loses no edit of several at once', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `<${i}>`);
    const { edit, content } = await editing(names.join(' '));
    await Promise.all(names.map((name) => edit(name, name.replace('<', '<done '))));
    expect(await content()).toBe(names.map((name) => name.replace('<', '<done ')).join(' '));
  });
});

const smallText = fc.string({
  unit: fc.constantFrom('a', 'b', '\n', '\r', '$', '&', '中', '😀'),
  maxLength: 12,
});
const someText = smallText.filter((text) => text !== '');

describe('the law of exactness', () => {
  it('changes the occurrence and not one character around it', () => {
    fc.assert(
      fc.property(smallText, someText, smallText, smallText, (before, oldText, newText, after) => {
        const content = before + oldText + after;
        fc.pre(oldText !== newText);
        fc.pre(content.indexOf(oldText) === content.lastIndexOf(oldText));
        const edited = applyEdit(content, { oldText, newText, replaceAll: false });
        expect(edited).toMatchObject({ content: before + newText + after, count: 1 });
      }),
    );
  });

  it('leaves no old text behind when all is replaced by something foreign to it', () => {
    fc.assert(
      fc.property(fc.array(smallText, { minLength: 2, maxLength: 5 }), someText, (parts, oldText) => {
        const edited = applyEdit(parts.join(oldText), { oldText, newText: '#', replaceAll: true });
        expect(edited.content).not.toContain(oldText);
        expect(edited.content.split('#').join(oldText)).toBe(parts.join(oldText));
      }),
    );
  });
});

describe('edit_file after a crash', () => {
  it('ran when the new text is there and the old is not', async () => {
    const { edit, status } = await editing('one two');
    expect(await status('two', 'three')).toBe('notRan');
    await edit('two', 'three');
    expect(await status('two', 'three')).toMatchObject({ isError: false, text: 'edited f.txt' });
  });

  it('is unknown when neither text is there, or the file is gone', async () => {
    const { status } = await editing('one');
    expect(await status('two', 'three')).toBeNull();
    const workspace = await temporaryFolder();
    expect(
      await probe(editFileTool(), { path: 'no', old_text: 'a', new_text: 'b' }, { workspace }),
    ).toBeNull();
  });

  it('is unknown when the edit itself may have left the old text there', () => {
    const fate = (content: string, oldText: string, newText: string) =>
      editFate(content, { oldText, newText, replaceAll: false });
    expect(fate('a(b)', 'b', '(b)')).toBe('unknown');
    expect(fate('the the', 'the the', 'the')).toBe('unknown');
    expect(fate('xb', 'b', '(b)')).toBe('notRan');
  });

  // Law 4: an edit that ran is never taken for one that did not, or it would be made twice.
  it('never takes an edit that ran for one that did not', () => {
    const tiny = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 6 });
    fc.assert(
      fc.property(tiny, tiny, tiny, fc.boolean(), (content, oldText, newText, replaceAll) => {
        fc.pre(oldText !== '' && oldText !== newText && content.includes(oldText));
        const edit = { oldText, newText, replaceAll };
        fc.pre(replaceAll || content.indexOf(oldText) === content.lastIndexOf(oldText));
        expect(editFate(applyEdit(content, edit).content, edit)).not.toBe('notRan');
      }),
      { numRuns: 3000 },
    );
  });
});

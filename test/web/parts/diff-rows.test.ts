import { describe, expect, it } from 'vitest';
import { isUnifiedDiff, rowsOfDiff, rowsOfTexts, textOfValue } from '../../../web/src/parts/diff-rows.ts';

const shown = (rows: { kind: string; line: number | null; text: string }[]) =>
  rows.map(({ kind, line, text }) => `${kind} ${line ?? ''} ${text}`.trimEnd());

describe('rowsOfDiff', () => {
  it('numbers removed lines as in the old text, and all others as in the new one', () => {
    const text = ['--- a', '+++ a', '@@ -1,3 +1,3 @@', ' one', '-two', '+TWO', '+and a half', ' three'].join(
      '\n',
    );
    expect(shown(rowsOfDiff(text))).toEqual([
      'note  a',
      'same 1 one',
      'removed 2 two',
      'added 2 TWO',
      'added 3 and a half',
      'same 4 three',
    ]);
  });

  it('marks lines that are left out before and between hunks', () => {
    const text = '@@ -10,1 +10,1 @@\n-a\n+b\n@@ -50,1 +50,1 @@\n-c\n+d\n';
    expect(rowsOfDiff(text).map(({ kind }) => kind)).toEqual([
      'gap',
      'removed',
      'added',
      'gap',
      'removed',
      'added',
    ]);
  });

  it('reads a diff that was cut off, and keeps the note about it', () => {
    const text =
      '--- a\n+++ a\n@@ -1,900 +1,900 @@\n-a\n[… 800 more lines; the arguments of the call have all of it]';
    expect(rowsOfDiff(text).at(-1)).toEqual({
      kind: 'note',
      line: null,
      text: '[… 800 more lines; the arguments of the call have all of it]',
    });
  });

  it('takes lines that begin like the names of files for what they are within a hunk', () => {
    expect(shown(rowsOfDiff('--- a\n+++ a\n@@ -1,1 +1,1 @@\n--- a rule\n+++ a sum'))).toEqual([
      'note  a',
      'removed 1 -- a rule',
      'added 1 ++ a sum',
    ]);
  });

  it('leaves out no word around the hunks: a person may approve what they see', () => {
    const text = 'Pays 900 to mallory.\n\n@@ -1 +1 @@ and tells nobody\n+harmless\n@ 2\n';
    expect(shown(rowsOfDiff(text))).toEqual([
      'note  Pays 900 to mallory.',
      'note',
      'gap  and tells nobody',
      'added 1 harmless',
      'note  @ 2',
    ]);
  });

  it('names each file that it changes, and both names of one that moves', () => {
    const text = [
      'diff --git a/one b/one',
      '--- a/one',
      '+++ b/one',
      '@@ -1 +1 @@',
      '-a',
      '+b',
      '--- a/two',
      '+++ b/three',
      '@@ -1 +1 @@',
      '-a',
      '+b',
    ].join('\n');
    const notes = rowsOfDiff(text).filter(({ kind }) => kind === 'note');
    expect(notes.map((row) => row.text)).toEqual(['diff --git a/one b/one', 'one', 'a/two → b/three']);
  });

  it('knows a unified diff from other words of a tool', () => {
    expect(isUnifiedDiff('--- a\n+++ a\n@@ -0,0 +1 @@\n+x')).toBe(true);
    expect(isUnifiedDiff('Sends 3 mails @@ once')).toBe(false);
  });
});

describe('rowsOfTexts', () => {
  it('is empty for the same text, and has the changed lines of others', async () => {
    expect(await rowsOfTexts('a\nb\n', 'a\nb\n')).toEqual([]);
    expect(shown((await rowsOfTexts('a\nb\n', 'a\nc\n')) ?? [])).toEqual([
      'same 1 a',
      'removed 2 b',
      'added 2 c',
    ]);
  });
});

describe('textOfValue', () => {
  it('keeps the lines of texts, so that a diff shows the changed ones alone', async () => {
    const value = (third: string) => ({ path: 'a.md', content: `one\ntwo\n${third}`, tags: ['x', { y: 1 }] });
    expect(textOfValue(value('three'))).toBe(
      'path: "a.md"\ncontent: |-\n   one\n   two\n   three\ntags: \n   - "x"\n   - \n      y: 1',
    );
    const rows = (await rowsOfTexts(textOfValue(value('three')), textOfValue(value('drei')))) ?? [];
    expect(
      rows.filter(({ kind }) => kind === 'added' || kind === 'removed').map(({ text }) => text.trim()),
    ).toEqual(['three', 'drei']);
  });

  it('adds no line for a newline at the end of a text, and tells it from none', async () => {
    const [before, after] = ['hello\n', 'goodbye\nsecond\n'].map((content) => textOfValue({ content }));
    expect(shown((await rowsOfTexts(before ?? '', after ?? '')) ?? [])).toEqual([
      'same 1 content: |',
      'removed 2    hello',
      'added 2    goodbye',
      'added 3    second',
    ]);
    expect(textOfValue({ content: 'a\nb' })).toBe('content: |-\n   a\n   b');
  });

  it('tells texts from other values, and what is empty from what is not there', () => {
    const one = { a: '1', b: '', c: [], d: {}, e: null };
    expect(textOfValue(one)).toBe('a: "1"\nb: ""\nc: []\nd: {}\ne: null');
  });
});

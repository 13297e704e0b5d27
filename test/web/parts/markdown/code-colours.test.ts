import { describe, expect, it } from 'vitest';
import { coloured } from '../../../../web/src/parts/markdown/code-colours.ts';
import { ownMs } from '../../../support/own-time.ts';

const kinds = (code: string, language: string) =>
  coloured(code, language)?.flatMap(({ text, kind }) => (kind ? [`${kind} ${text}`] : []));

describe('coloured code', () => {
  it.each([
    ['ts', 'const a = "x"; // hi', ['word const', 'text "x"', 'comment // hi']],
    [
      'python',
      "def f():\n  return '''a\nb''' # no",
      ['word def', 'word return', "text '''a\nb'''", 'comment # no'],
    ],
    ['bash', 'echo "a#b" # c', ['word echo', 'text "a#b"', 'comment # c']],
    ['json', '{"a": [1, true]}', ['key "a"', 'figure 1', 'word true']],
    ['sql', 'SELECT a FROM b -- c', ['word SELECT', 'word FROM', 'comment -- c']],
    ['html', '<p class="a">it\'s</p>', ['word <p', 'text "a"', 'word </p']],
    ['diff', '@@ -1 +1 @@\n-a\n+b\n c', ['comment @@ -1 +1 @@', 'gone -a', 'added +b']],
  ])('of %s has words, texts and comments', (language, code, expected) => {
    expect(kinds(code, language)).toEqual(expected);
  });

  it('is the code itself, in any language, and is read in a moment whatever stands there', () => {
    for (const language of ['ts', 'json', 'py', 'sql', 'html', 'diff'])
      for (const unit of ['"', "'", "'a", "'\\", '/*', '`', '\\"', '<!--', '"""', '#', '@@\n', 'é', '𝕏']) {
        const code = unit.repeat(Math.floor(19_000 / unit.length));
        const took = ownMs(() => {
          expect(
            coloured(code, language)
              ?.map(({ text }) => text)
              .join(''),
          ).toBe(code);
        });
        expect(took, `${language} ${unit}`).toBeLessThan(1_000);
      }
  });

  it('is not there for languages that are not known, and for long code', () => {
    expect(coloured('a', 'klingon')).toBeNull();
    expect(coloured('a', '__proto__')).toBeNull();
    expect(coloured('a '.repeat(10_001), 'ts')).toBeNull();
  });
});

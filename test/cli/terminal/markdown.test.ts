import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markdownText } from '../../../src/cli/terminal/markdown.ts';
import { plainText, rendered } from '../../../src/cli/terminal/styled.ts';
import { textWidth } from '../../../src/cli/terminal/text-width.ts';

const esc = '\u001b';
const ours = new RegExp(`${esc}\\[\\d+m`, 'g');
const shown = (source: string, columns = 80) => plainText(markdownText(source, columns));
const coloured = (source: string) => rendered(markdownText(source, 80), true);
const lines = (...all: string[]) => all.join('\n');

describe('Markdown on a terminal', () => {
  it('has headings, strong and emphasised words, and code, by colour and weight', () => {
    expect(coloured('# Title')).toBe(`${esc}[4m${esc}[1mTitle${esc}[22m${esc}[24m`);
    expect(coloured('## Part')).toBe(`${esc}[1mPart${esc}[22m`);
    expect(coloured('**a** _b_ ~~c~~ `d`')).toBe(
      `${esc}[1ma${esc}[22m ${esc}[3mb${esc}[23m ${esc}[9mc${esc}[29m ${esc}[36md${esc}[39m`,
    );
  });

  it('keeps a heading bold behind a strong word in it', () => {
    expect(coloured('## a **b** c')).toBe(`${esc}[1ma b c${esc}[22m`);
  });

  it('keeps the line ends of a paragraph, and one empty line between blocks', () => {
    expect(shown('one\ntwo\n\n\n\nthree\n')).toBe('one\ntwo\n\nthree');
  });

  it('breaks lines between words where the terminal ends, in quotes and lists as well', () => {
    expect(shown('one two three four', 11)).toBe(lines('one two', 'three four'));
    expect(shown('- one two three', 10)).toBe(lines('• one two', '  three'));
    expect(shown('- [ ] one two three', 17)).toBe(lines('• [ ] one two', '  three'));
    expect(shown('> one two three', 10)).toBe(lines('│ one two', '│ three'));
    expect(shown('# one two three', 10)).toBe(lines('one two', 'three'));
    expect(shown('see 我想喝一杯热的绿茶', 13)).toBe(lines('see 我想喝一', '杯热的绿茶'));
  });

  it('leaves a word whole that is longer than a line, and code as it is', () => {
    const url = 'http://example.test/a/long/path';
    expect(shown(`see ${url} for more`, 16)).toBe(lines('see', url, 'for more'));
    expect(shown(lines('```', 'a line of code that is long', '```'), 10)).toBe(
      '    a line of code that is long',
    );
  });

  it('keeps the style of words on both sides of a break', () => {
    const text = rendered(markdownText('**one two three**', 10), true);
    expect(text).toBe(`${esc}[1mone two${esc}[22m\n${esc}[1mthree${esc}[22m`);
  });

  it('indents code, below the name of its language, and changes nothing in it', () => {
    const source = lines('```js', 'if (a < b) {', '', '  **c**()', '}', '```');
    expect(shown(source)).toBe(lines('    js', '    if (a < b) {', '', '      **c**()', '    }'));
  });

  it('lays out lists, in each other, with numbers and boxes', () => {
    const source = lines('- one', '  - two', '    more', '- three', '');
    expect(shown(source)).toBe(lines('• one', '  • two', '    more', '• three'));
    const numbered = Array.from({ length: 3 }, (_, i) => `${i + 9}. item`).join('\n');
    expect(shown(numbered)).toBe(lines(' 9. item', '10. item', '11. item'));
    expect(shown(lines('- [x] done', '- [ ] open'))).toBe(lines('• [x] done', '• [ ] open'));
    expect(shown(lines('- [x] a', '', '- [ ] b'))).toBe(lines('• [x] a', '', '• [ ] b'));
  });

  it('puts a line before quotes, and draws rules', () => {
    expect(shown('> one\n> > two')).toBe(lines('│ one', '│ ', '│ │ two'));
    expect(shown('---', 11)).toBe('─'.repeat(10));
  });

  it('writes the address behind the words of a link or a picture, where they differ', () => {
    expect(shown('[docs](http://x.test/a)')).toBe('docs (http://x.test/a)');
    expect(shown('[docs](http://x.test/a "The docs")')).toBe('docs (http://x.test/a "The docs")');
    expect(shown('[http://good.test](http://evil.test)')).toBe('http://good.test (http://evil.test)');
    expect(shown('<http://x.test/a> http://y.test/?a=1&b=2 me@x.test')).toBe(
      'http://x.test/a http://y.test/?a=1&b=2 me@x.test',
    );
    expect(shown('![a cat](cat.png)')).toBe('a cat (cat.png)');
    expect(shown('![](cat.png)')).toBe('(cat.png)');
  });

  it('shows HTML, entities and definitions as the text that they are', () => {
    const source = lines(
      '<b onclick="x">bold</b> &amp; <!-- c -->',
      '',
      '<div>',
      'x',
      '</div>',
      '',
      '[a]: b "c"',
    );
    expect(shown(source)).toBe(source);
  });

  it('lets no text steer the terminal', () => {
    const source = `${esc}]8;;http://evil\u0007**a${esc}[2J** [x](${esc}[31m) \u202eb`;
    expect(coloured(source).replaceAll(ours, '')).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  });
});

describe('a table on a terminal', () => {
  const table = lines('| name | 数量 |', '| :-- | --: |', '| tea **leaf** | 2 |', '| 漢字 | 30 |');

  it('has columns as wide as their cells on the screen', () => {
    expect(shown(table)).toBe(
      lines('name     │ 数量', '─────────┼─────', 'tea leaf │    2', '漢字     │   30'),
    );
  });

  it('breaks wide cells at spaces, and long words, to fit', () => {
    const source = lines(
      '| a | b |',
      '|---|---|',
      '| one two three four five | x |',
      '| abcdefghijklmnopqrstuvwxyz | y |',
    );
    const rows = shown(source, 24).split('\n');
    expect(rows[2]).toBe('one two three four  │ x');
    expect(rows[3]?.trimEnd()).toBe('five                │');
    for (const row of rows) expect(textWidth(row)).toBeLessThan(24);
  });

  it('is a list of titled lines where its columns would become too narrow', () => {
    expect(shown(lines('| first | second |', '|---|---|', '| some words | other words |'), 16)).toBe(
      lines('first: some words', 'second: other words'),
    );
  });

  it('stays as it is when a row has a cell without a column', () => {
    const source = lines('| a |', '|---|', '| 1 | 2 |');
    expect(shown(source)).toBe(source);
  });
});

const word = fc.stringMatching(/^[a-z漢é]{1,8}$/);
const mark = fc.constantFrom(
  ...[
    '\n',
    '\n\n',
    '\n    ',
    ' ',
    '# ',
    '*',
    '**',
    '_',
    '`',
    '```',
    '~~~',
    '~~',
    '- ',
    '1. ',
    '> ',
    '|',
    '|---|',
  ],
  ...[
    '[',
    ']',
    '(',
    ')',
    '![',
    '<',
    '>',
    '</a>',
    '<!--',
    '&amp;',
    '\\',
    '---',
    '===',
    '[a]: b',
    'http://',
    '\t',
    '\r',
  ],
  ...[esc, '\u0000', '\u009b', '\u202e', '\ud800', '\u{1f3f4}'],
);
const source = fc.array(fc.oneof(word, mark), { maxLength: 60 }).map((pieces) => pieces.join(''));
const width = fc.integer({ min: 1, max: 100 });
const wordsOf = (text: string) => text.match(/\p{L}+/gu) ?? [];

describe('any text as Markdown', () => {
  it('keeps every letter, and has no control character but those of its styles', () => {
    fc.assert(
      fc.property(source, width, (text, columns) => {
        const output = markdownText(text, columns);
        const bare = rendered(output, true).replaceAll(ours, '');
        expect(bare).not.toMatch(/[^\P{Cc}\n\t]|\u202e/u);
        const left = wordsOf(bare).join('').split('').sort().join('');
        for (const letter of new Set(wordsOf(text).join('')))
          expect(left.split(letter).length).toBeGreaterThanOrEqual(text.split(letter).length);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps the order of the words of plain prose', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (words) => {
        expect(shown(words.join(' '), 100_000)).toBe(words.join(' '));
        // Where a line ends there is no space; between ideographs there was none.
        expect(shown(words.join(' '), 20).replaceAll(/[\n ]/g, '')).toBe(words.join(''));
      }),
    );
  });

  it.each([
    '[',
    ']',
    '*',
    '_',
    '**a',
    '*a **b ',
    '>',
    '> ',
    '- ',
    '1. ',
    '`',
    '`a',
    '![',
    '[a](',
    '<',
    '<a ',
    '|',
    '|\n',
    '~',
    '#',
    '\\',
    '&',
    '[a]: b\n',
    '\n- ',
    'a@',
    'www.a',
    '(',
    '"',
    '\t',
    ' ',
    '\n',
    '<!--',
    '-\n',
  ])('comes to an end for 100 KB of %j, and for as much of it as is parsed', (piece) => {
    for (const length of [100_000, 8_000]) {
      const text = piece.repeat(length / piece.length);
      expect(wordsOf(shown(text)).join('').length).toBeGreaterThanOrEqual(wordsOf(text).join('').length);
    }
  });
});

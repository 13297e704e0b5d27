import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blocksOf, linesOf } from '../../src/memory/markdown/blocks.ts';
import { chunksOf } from '../../src/memory/markdown/chunk.ts';
import { sizeOf } from '../../src/memory/markdown/size.ts';
import { inSizes } from '../support/size.ts';

const numRuns = inSizes({ usual: 8, deep: 60, full: 5_000 });
const sentence = 'The quick brown fox jumps over the lazy dog near the river bank at noon. ';
const paragraph = (n: number) => `Paragraph ${n}. ${sentence.repeat(8)}`.trim();

/** Anything that a Markdown file may look like, and some things that none should. */
const line = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 80 }),
  fc.constantFrom(
    '',
    '',
    '```',
    '~~~~',
    '```ts',
    '# One',
    '## Two',
    '###### Six',
    '- item',
    '1. first',
    '---',
  ),
  fc.constantFrom(
    '| a | b |',
    '| --- | --- |',
    '    ```',
    '````',
    '<!-- run_a:1 -->',
    '<!--',
    '-->',
    'title: "front matter"',
    '\f',
    '\v page \f',
    'next\u0085line\u2028separator\u2029',
    '\ufeff# BOM',
    '\ud800 alone \udc00',
    '\t\tindented',
    '#',
    '## ##',
    '# closed ##',
    '\u00a0',
  ),
  fc.nat(40).map((n) => sentence.repeat(n).trim()),
  fc.nat(900).map((n) => '汉字。'.repeat(n)),
  fc.nat(3_000).map((n) => 'x'.repeat(n)),
  fc.nat(9_000).map((n) => `x${' '.repeat(n)}x`),
);
const file = fc.array(line, { maxLength: 60 });

describe('the chunks of a file', () => {
  it('are exactly their lines, but for a line that is too long for one', () => {
    fc.assert(
      fc.property(file, (lines) => {
        const text = lines.join('\n');
        for (const chunk of chunksOf(linesOf(text))) {
          const whole = linesOf(text)
            .slice(chunk.start - 1, chunk.end)
            .join('\n');
          expect(whole).toContain(chunk.text);
          const missing = whole.length - chunk.text.length;
          if (missing > 0) {
            const [first = '', last = ''] = [linesOf(text)[chunk.start - 1], linesOf(text)[chunk.end - 1]];
            expect(Math.max(sizeOf(first), sizeOf(last))).toBeGreaterThan(400);
          }
        }
      }),
      { numRuns },
    );
  });

  it('leave no line out that is not blank, and keep its words', () => {
    fc.assert(
      fc.property(file, (lines) => {
        const all = linesOf(lines.join('\n'));
        const chunks = chunksOf(all);
        for (const [i, each] of all.entries()) {
          if (each.trim() === '') continue;
          const covering = chunks.filter(({ start, end }) => start <= i + 1 && i + 1 <= end);
          expect(covering.length, each.slice(0, 60)).toBeGreaterThan(0);
          const shown = covering.map(({ text }) => text).join('\n');
          for (const word of each.match(/\S{1,40}/g)?.slice(-1) ?? []) expect(shown).toContain(word);
        }
      }),
      { numRuns },
    );
  });

  it('are of about 400 tokens, whatever the file is like', () => {
    fc.assert(
      fc.property(file, (lines) => {
        for (const { text } of chunksOf(linesOf(lines.join('\n'))))
          expect(sizeOf(text)).toBeLessThanOrEqual(560);
      }),
      { numRuns },
    );
  });

  it('begin with the end of the one before', () => {
    const lines = Array.from({ length: 30 }, (_, i) => `- item ${i}: ${sentence}`);
    const chunks = chunksOf(lines);
    expect(chunks.length).toBeGreaterThan(1);
    for (const [i, chunk] of chunks.slice(1).entries()) {
      const overlap = (chunks[i]?.end ?? 0) - chunk.start + 1;
      expect(overlap).toBeGreaterThan(1);
      expect(overlap).toBeLessThan(6);
    }
  });

  it('begin at headings, and know those above them', () => {
    const lines = linesOf(
      `# Shop\n\n${paragraph(1)}\n\n## Orders\n\n${paragraph(2)}\n\n### Late\n\n${paragraph(3)}\n\n## Returns\n\n${paragraph(4)}\n`,
    );
    expect(chunksOf(lines).map(({ heading, start }) => [heading.join(' › '), lines[start - 1]])).toEqual([
      ['Shop', '# Shop'],
      ['Shop › Orders', '## Orders'],
      ['Shop › Orders › Late', '### Late'],
      ['Shop › Returns', '## Returns'],
    ]);
  });

  it.each([
    ['# a', 'a'],
    ['# a #', 'a'],
    ['#\ta \t##\t', 'a'],
    ['   ### a b # c', 'a b # c'],
    ['# a#', 'a#'],
    ['## ##', ''],
    ['#', ''],
    ['####### a', null],
    ['#a', null],
    ['    # a', null],
  ])('know of %j the title %j', (text, title) => {
    const [block] = blocksOf([text]);
    expect(block?.kind === 'heading' ? block.title : null).toBe(title);
  });

  it('take no time that grows with the square of a line', () => {
    const long = 500_000;
    for (const each of [
      `#${' '.repeat(long)}x`,
      `# ${'# '.repeat(long)}x`,
      '.'.repeat(long),
      '?!;'.repeat(long),
      '。'.repeat(long),
      '<!--'.repeat(long / 10),
      ' '.repeat(long),
      `${'`'.repeat(long)}x`,
      'a '.repeat(long),
      '\ud800'.repeat(long),
    ]) {
      const chunks = chunksOf([each, 'end']);
      expect(chunks.at(-1)?.end).toBe(2);
      if (each.trim() !== '') expect(chunks.length).toBeGreaterThan(10);
      const parts = [chunks[0], chunks[chunks.length >> 1], chunks.at(-1)];
      for (const part of parts) expect(`${each}\nend`).toContain(part?.text);
    }
  });

  it('hold several short sections', () => {
    const lines = linesOf(Array.from({ length: 5 }, (_, i) => `## Day ${i}\n\nslept well\n`).join('\n'));
    expect(chunksOf(lines)).toHaveLength(1);
  });

  it('take no heading out of a fence', () => {
    const lines = linesOf('# Real\n\n```sh\n# a comment\nls\n```\n\nafter\n');
    expect(chunksOf(lines).map(({ heading }) => heading)).toEqual([['Real']]);
  });

  it('cut a fence that is too big between its lines', () => {
    const code = Array.from({ length: 200 }, (_, i) => `const value${i} = compute(${i}, "${i}");`);
    const chunks = chunksOf(['```ts', ...code, '```']);
    expect(chunks.length).toBeGreaterThan(3);
    for (const { start, end, text } of chunks)
      expect(text).toBe(['```ts', ...code, '```'].slice(start - 1, end).join('\n'));
  });

  it('count lines alike, whatever ends them', () => {
    const text = `# A\n\n${paragraph(1)}\n\n${paragraph(2)}\n`;
    for (const end of ['\r\n', '\r'])
      expect(chunksOf(linesOf(text.replaceAll('\n', end)))).toEqual(chunksOf(linesOf(text)));
    expect(linesOf('a\rb\nc\r\nd')).toEqual(['a\rb', 'c', 'd']);
  });

  it('are none of an empty file', () => {
    expect(chunksOf(linesOf(''))).toEqual([]);
    expect(chunksOf(linesOf('\n \n\t\n'))).toEqual([]);
  });
});

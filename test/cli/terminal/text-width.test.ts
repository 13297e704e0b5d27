import { createInterface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { clipped, textWidth, widthOf } from '../../../src/cli/terminal/text-width.ts';

// Node asks ICU, and tells through readline.
const output = new Writable({ write: (_chunk, _encoding, done) => done() });
const readline = createInterface({ input: new Readable({ read() {} }), output, terminal: true });
afterAll(() => readline.close());

function widthByNode(character: string): number {
  readline.setPrompt(character);
  return readline.getCursorPos().cols;
}

/** Terminals draw these together with a neighbour, which asking for one alone cannot show. */
const joining = /^[\u1160-\u11ff\u302a-\u302d\u3099\u309a\ud7b0-\ud7ff\u{16fe4}\u{1f1e6}-\u{1f1ff}]$/u;

describe('the width of a character', () => {
  it('is what Node says, for every character that stands alone', () => {
    const differing: string[] = [];
    for (let code = 0x20; code <= 0x31000; code++) {
      const character = String.fromCodePoint(code);
      if (/[\p{Cc}\p{Cs}\p{Co}\p{Cn}]/u.test(character) || joining.test(character)) continue;
      // Node takes those in two parts apart.
      if (character.normalize('NFC') !== character) continue;
      if (widthOf(character) !== widthByNode(character)) differing.push(code.toString(16));
    }
    expect(differing).toEqual([]);
  });

  it.each([
    ['한', 2, 'a syllable that is composed'],
    ['한', 2, 'the same syllable in parts'],
    ['が', 2, 'a mark on a wide character'],
    ['é', 1, 'a mark on a narrow one'],
    ['🇩🇪', 2, 'a flag'],
    ['a\u200bb', 2, 'an invisible space'],
  ])('%s takes %i columns: %s', (text, columns) => {
    expect(textWidth(text)).toBe(columns);
  });
});

describe('clipping', () => {
  it.each([
    ['thinking', 20, 'thinking'],
    ['thinking', 8, 'thinking'],
    ['thinking', 5, 'thin…'],
    ['你好世界', 5, '你好…'],
    ['你好世界', 4, '你…'],
    ['thinking', 1, '…'],
    ['thinking', 0, ''],
  ])('%j in %i columns is %j', (text, columns, shown) => {
    expect(clipped(text, columns)).toBe(shown);
    expect(textWidth(shown)).toBeLessThanOrEqual(columns);
  });
});

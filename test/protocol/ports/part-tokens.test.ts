import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  base64Bytes,
  isBase64,
  mediaTypeOf,
  mediaTypeOfBase64,
  partName,
  sizeText,
  textFile,
  textOfBytes,
  toBase64,
  withoutTextFiles,
} from '../../../src/protocol/content.ts';
import { estimatePrompt, partTokens } from '../../../src/protocol/ports/tokens.ts';
import { imagePart, pdfPart } from '../../support/pictures.ts';

const file = (bytes: number) => ({
  type: 'file' as const,
  mimeType: 'application/pdf',
  artifact: 'a',
  bytes,
});

describe('the weight of parts', () => {
  it('is the same for every image, and grows with a document up to a bound', () => {
    expect(partTokens(imagePart())).toBe(1_600);
    expect([1, 50_000, 50_001, 20_000_000].map((bytes) => partTokens(file(bytes)))).toEqual([
      2_500, 2_500, 5_000, 50_000,
    ]);
    expect(partTokens(pdfPart())).toBe(2_500);
  });

  it('counts in a prompt', () => {
    const plain = estimatePrompt([{ role: 'user', text: 'a' }], []);
    expect(estimatePrompt([{ role: 'user', text: 'a', parts: [imagePart(), pdfPart()] }], [])).toBe(
      plain + 4_100,
    );
  });
});

describe('base64', () => {
  it('is known as such, with its size, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const data = Buffer.from(bytes).toString('base64');
        expect(isBase64(data)).toBe(true);
        expect(base64Bytes(data)).toBe(bytes.length);
        expect(toBase64(bytes)).toBe(data);
        expect(mediaTypeOfBase64(data)).toEqual(mediaTypeOf(bytes));
        if (bytes.length % 3 !== 0) expect(isBase64(data.replace(/=+$/, ''))).toBe(false);
      }),
    );
  });

  it('is made of many bytes as of few', () => {
    const bytes = Buffer.alloc(100_000, 'a picture');
    expect(toBase64(bytes)).toBe(bytes.toString('base64'));
  });

  it('is not what only looks like it', () => {
    for (const text of ['a', 'abc', 'ab=c', 'ab==cd==', 'a b=', 'abc\n', '====', 'ab-_'])
      expect(isBase64(text)).toBe(false);
  });
});

describe('bytes', () => {
  it('are text when they are UTF-8 without NUL', () => {
    expect(textOfBytes(Buffer.from('你好'))).toBe('你好');
    expect(textOfBytes(Buffer.from('a\0b'))).toBeNull();
    expect(textOfBytes(Buffer.from([0xc3, 0x28]))).toBeNull();
  });

  it('are shown in units that people read', () => {
    expect([0, 999, 1_000, 34_400, 999_999, 1_500_000].map(sizeText)).toEqual([
      '0 B',
      '999 B',
      '1 kB',
      '34 kB',
      '1000 kB',
      '1.5 MB',
    ]);
  });
});

describe('a name', () => {
  it('is one line of some length, or none', () => {
    expect(partName('a\u2028b\tc.png')).toBe('a b c.png');
    expect(partName(' \n ')).toBeUndefined();
    expect(partName('half \ud83d')?.isWellFormed()).toBe(true);
    expect(Array.from(partName('😀'.repeat(300)) ?? '')).toHaveLength(200);
  });
});

describe('a text file', () => {
  it('can be told from the words before it', () => {
    const text = `What is in it?\n\n${textFile('a.txt', 'one\n\ntwo\n', 9)}\n\n${textFile('b.txt', '', 1_500)}`;
    expect(withoutTextFiles(text)).toEqual({
      words: 'What is in it?',
      files: ['file a.txt, 9 B', 'file b.txt, 2 kB'],
    });
    expect(withoutTextFiles('[File] is a word')).toEqual({ words: '[File] is a word', files: [] });
  });
});

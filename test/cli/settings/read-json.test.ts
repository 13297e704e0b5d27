import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson } from '../../../src/cli/settings/read-json.ts';
import { TextFault } from '../../../src/cli/settings/text-file.ts';

/** What is wrong and where: `3:5 expected a value`. */
function faultOf(text: string): string | null {
  try {
    readJson(text);
    return null;
  } catch (error) {
    if (!(error instanceof TextFault)) throw error;
    return `${error.place?.line}:${error.place?.column} ${error.message}`;
  }
}

describe('reading JSON', () => {
  it.each([
    ['', '1:1 the text ends where a value is expected'],
    ['{"model": ', '1:11 the text ends where a value is expected'],
    ['{\n  "a": 1,\n}', '3:1 expected a key in double quotes'],
    ['{\n  "a" 1\n}', '2:7 expected ":"'],
    ['{"a": 1 "b": 2}', '1:9 expected "," or "}"'],
    ['[1 2]', '1:4 expected "," or "]"'],
    ['[1,]', '1:4 expected a value'],
    ["{'a': 1}", '1:2 expected a key in double quotes'],
    ['{"a": 01}', '1:8 expected "," or "}"'],
    ['{"a": "line\nbreak"}', '1:7 expected a value'],
    ['{} // done', '1:4 there is more text after the value'],
    ['{"a": 1,\n "b": {"c": 1, "c": 2}}', '2:16 the key "c" occurs twice'],
  ])('%j: %s', (text, fault) => {
    expect(faultOf(text)).toBe(fault);
  });

  it('finds a key twice however it is spelled, and only within one object', () => {
    expect(faultOf('{"a": 1, "\\u0061": 2}')).toBe('1:10 the key "a" occurs twice');
    expect(faultOf('{"a": {"a": [{"a": 1}, {"a": 2}]}}')).toBe(null);
  });

  it('takes every JSON, however it is spaced, as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat({ max: 4 }), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(readJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('refuses what JSON.parse refuses, and nothing else but keys that are there twice', () => {
    const json = fc.jsonValue().map((value) => JSON.stringify(value));
    const broken = fc
      .tuple(
        json,
        fc.nat(),
        fc.nat({ max: 2 }),
        fc.constantFrom('', ',', '"', '{', '}', ']', ':', '\\', '1', '-', ' '),
      )
      .map(([text, at, gone, put]) => {
        const start = at % (text.length + 1);
        return text.slice(0, start) + put + text.slice(start + gone);
      });
    fc.assert(
      fc.property(broken, (text) => {
        const fault = faultOf(text);
        if (fault?.endsWith('occurs twice')) return;
        expect(fault === null).toBe(parses(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes no longer for deep nesting than it must, and does not run out of stack by itself', () => {
    expect(faultOf('['.repeat(200_000))).toMatch(/the text ends where/);
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

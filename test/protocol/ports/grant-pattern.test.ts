import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultPattern, isLike, matchesGrant, readPattern } from '../../../src/protocol/ports/toolbox.ts';

const means = (pattern: unknown, args: unknown) => matchesGrant(readPattern(pattern), JSON.stringify(args));

describe('a pattern', () => {
  it('means calls whose every field it names', () => {
    expect(means({ command: 'ls' }, { command: 'ls' })).toBe(true);
    expect(means({ command: 'ls' }, { command: 'ls -l' })).toBe(false);
    expect(means({ command: 'ls' }, { command: 'ls', background: true })).toBe(false);
    expect(means({ command: 'ls', background: { any: true } }, { command: 'ls', background: true })).toBe(
      true,
    );
    expect(means({ command: 'ls', background: { any: true } }, { command: 'ls' })).toBe(true);
    expect(means({ command: 'ls', background: true }, { command: 'ls' })).toBe(false);
    expect(means({}, {})).toBe(true);
    expect(means({}, { command: 'ls' })).toBe(false);
  });

  it('compares values as JSON, in whatever order their keys are', () => {
    expect(means({ at: { x: 1, y: [1, { a: 1, b: 2 }] } }, { at: { y: [1, { b: 2, a: 1 }], x: 1 } })).toBe(
      true,
    );
    expect(means({ at: [1, 2] }, { at: [2, 1] })).toBe(false);
    expect(means({ n: 1 }, { n: '1' })).toBe(false);
    expect(means({ n: null }, { n: null })).toBe(true);
  });

  it('takes what looks like a test for a value under "is"', () => {
    expect(means({ q: { is: { like: '*' } } }, { q: { like: '*' } })).toBe(true);
    expect(means({ q: { is: { like: '*' } } }, { q: 'x' })).toBe(false);
    expect(means({ q: { like: '*', or: 1 } }, { q: { like: '*', or: 1 } })).toBe(true);
  });

  it('means nothing that is no object of arguments', () => {
    for (const raw of ['not json', '[]', 'null', '"x"', '{"a":'])
      expect(matchesGrant(readPattern({ a: { any: true } }), raw)).toBe(false);
  });

  it('is not misled by names of the language', () => {
    expect(matchesGrant(readPattern('{}'), '{"__proto__":1}')).toBe(false);
    expect(matchesGrant(readPattern('{}'), '{"constructor":1}')).toBe(false);
    expect(matchesGrant(readPattern('{"__proto__":1}'), '{"__proto__":1}')).toBe(true);
    expect(matchesGrant(readPattern('{"toString":{"any":true}}'), '{}')).toBe(true);
  });

  it.each([['[]'], ['not json'], [7], [{ a: { like: 7 } }], [{ a: { any: 'yes' } }]])(
    'cannot be %j',
    (given) => {
      expect(() => readPattern(given)).toThrow(expect.objectContaining({ code: 'INVALID_PATTERN' }));
    },
  );
});

describe('without a pattern', () => {
  it('exactly the same arguments are meant', () => {
    const json = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(json, json, (one, other) => {
        const pattern = JSON.parse(JSON.stringify(defaultPattern(one, undefined, ['x'])));
        expect(matchesGrant(pattern, JSON.stringify(one))).toBe(true);
        expect(matchesGrant(pattern, JSON.stringify(other))).toBe(isSameJson(one, other));
      }),
    );
  });

  it('or those that agree in the fields that the tool names', () => {
    const pattern = defaultPattern({ path: 'a.md', content: 'one' }, ['path'], ['path', 'content', 'mode']);
    const matches = (args: object) => matchesGrant(pattern, JSON.stringify(args));
    expect(matches({ path: 'a.md', content: 'two' })).toBe(true);
    expect(matches({ path: 'a.md', mode: 1 })).toBe(true);
    expect(matches({ path: './a.md', content: 'one' })).toBe(false);
    expect(matches({ path: 'a.md', content: 'one', force: true })).toBe(false);
  });
});

function isSameJson(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));
}

describe('a form', () => {
  it.each([
    ['npm test', 'npm test', true],
    ['npm test*', 'npm test', true],
    ['npm test*', 'npm test --watch', true],
    ['notes/*.md', 'notes/a.md', true],
    ['notes/*.md', 'notes/2026/a.md', false],
    ['notes/**.md', 'notes/2026/a.md', true],
    ['**/*.md', 'a/b.md', true],
    ['*', '漢字 été', true],
    ['*', '', true],
    ['https://docs.example/**', 'https://docs.example/a/b.html', true],
    ['https://docs.example/**', 'https://docs.example/a?key=secret', false],
    ['a*b*c', 'a-b-c', true],
    ['a*b*c', 'a-b-', false],
  ])('%j, %j: %s', (form, text, expected) => {
    expect(isLike(text, form)).toBe(expected);
  });

  it.each([
    'npm test; rm -rf x',
    'npm test && x',
    'npm test | x',
    'npm test > x',
    'npm test `x`',
    'npm test $(x)',
    'npm test $HOME',
    'npm test\nx',
    'npm test\r\nx',
    "npm test 'x'",
    'npm test "x"',
    'npm test ../x',
    'npm test ~',
    'npm test #x',
    'npm test {a,b}',
    'npm test <x',
    'npm test \\x',
    'npm test\u2028x',
    'npm test\u0000',
  ])('with a star never stands for what a shell would obey: %j', (text) => {
    expect(isLike(text, 'npm test*')).toBe(false);
    expect(isLike(text, 'npm test**')).toBe(false);
  });

  it('without a star is the text itself, if that does not climb', () => {
    const plain = fc.string({ maxLength: 40 }).filter((text) => !text.includes('*') && !text.includes('..'));
    fc.assert(
      fc.property(plain, plain, (text, other) => {
        expect(isLike(text, text)).toBe(true);
        if (text !== other) expect(isLike(other, text)).toBe(false);
      }),
    );
  });

  it('does not hang on stars', () => {
    expect(isLike('a'.repeat(2_000), `${'*a'.repeat(900)}b`)).toBe(false);
    expect(isLike('a'.repeat(2_001), '*')).toBe(false);
  });
});

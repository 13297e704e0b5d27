import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { simpleFrontmatter } from '../../src/skills/simple-frontmatter.ts';
import { yamlFrontmatter } from '../../src/skills/yaml-frontmatter.ts';

/** Texts in which everything may stand that means something to YAML. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'ab1 -:#"\'[]{}>|&*!%@`,.?~\\/$\t='), maxLength: 12 }),
  fc.constantFrom(
    'null',
    'true',
    '1.0',
    '~',
    '2026-11-21',
    '技能',
    'a: b',
    'x #y',
    '---',
    '...',
    '- a',
    '[]',
    '>',
    '|-',
  ),
  fc.stringMatching(/^[A-Za-z][a-z ,.]{0,20}$/),
  fc.string({ unit: fc.constantFrom(...'ab \\"nt/u0\''), maxLength: 8 }).map((inner) => `"${inner}"`),
  fc.string({ unit: fc.constantFrom(...'ab \\"\''), maxLength: 8 }).map((inner) => `'${inner}'`),
);
const json = fc
  .letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string({ unit: fc.constantFrom(...'ab :#"\\,{}[]/é🌤') }),
      fc.constantFrom(1.5, true, null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.string({ unit: fc.constantFrom(...'ab :"#') }), tie('value'), { maxKeys: 3 }),
    ),
  }))
  .value.map((value) => JSON.stringify(value));
const key = fc.constantFrom('name', 'description', 'metadata', 'allowed-tools', 'a');
const line = fc.oneof(
  fc.tuple(key, text).map(([name, value]) => `${name}: ${value}`),
  key.map((name) => `${name}:`),
  fc.tuple(fc.constantFrom('', '  ', '    '), text).map(([indent, value]) => `${indent}- ${value}`),
  fc.tuple(key, text).map(([name, value]) => `    ${name}: ${value}`),
  fc.tuple(key, text).map(([name, value]) => `  ${name}: ${value}`),
  text.map((value) => `  ${value}`),
  fc.tuple(key, json).map(([name, value]) => `${name}: ${value}`),
  fc.tuple(key, fc.constantFrom('>', '>-', '|', '|-')).map(([name, mark]) => `${name}: ${mark}`),
  text,
  fc.constant(''),
);

describe('reading simple frontmatter', () => {
  it('comes to what the YAML library makes of it', () => {
    let simple = 0;
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), (lines) => {
        const yaml = lines.join('\n');
        const quick = simpleFrontmatter(yaml);
        if (quick === null) return;
        simple++;
        const read = yamlFrontmatter(yaml);
        expect({ yaml, error: read.error, warnings: read.warnings }).toEqual({
          yaml,
          error: null,
          warnings: [],
        });
        expect({ yaml, ...read.fields }).toEqual({ yaml, ...quick });
      }),
      { numRuns: 30_000 },
    );
    expect(simple).toBeGreaterThan(2_000);
  });

  it.each([
    ['name: a\ndescription: Does things, and more.', { name: 'a', description: 'Does things, and more.' }],
    ['a: "quoted: text"', { a: 'quoted: text' }],
    ["a: 'quoted # text'", { a: 'quoted # text' }],
    ['a: "an \\\\ and a \\"word\\""', { a: 'an \\ and a "word"' }],
    ["a: 'it''s'", { a: "it's" }],
    ['a: >\n  one\n  two\nb: c', { a: 'one two\n', b: 'c' }],
    ['a: >-\n    one\n    two\n\n    three\n\nb: c', { a: 'one two\nthree', b: 'c' }],
    ['a: |\n  one\n\n  two\n', { a: 'one\n\ntwo\n' }],
    ['a:\n- one\n- two\nb:\n    c: d', { a: ['one', 'two'], b: { c: 'd' } }],
    ['a: |-\n  one\n  two', { a: 'one\ntwo' }],
    ['a:\n  - Bash(git:*)\n  - Read', { a: ['Bash(git:*)', 'Read'] }],
    ['a:\n  version: 1.0\n  author: me', { a: { version: '1.0', author: 'me' } }],
    ['a: []', { a: [] }],
    ['a: one\n  two\n    three.\nb: c', { a: 'one two three.', b: 'c' }],
    ['a: {"b":{"c":["d","e"]}}', { a: { b: { c: ['d', 'e'] } } }],
    ['a: ["b", "c"]', { a: ['b', 'c'] }],
    ['a: see https://example.com/x', { a: 'see https://example.com/x' }],
  ])('knows %j', (yaml, fields) => {
    expect(simpleFrontmatter(yaml)).toEqual(fields);
  });

  it.each([
    'a: b: c',
    'a: [b',
    'a: &x b',
    'a: *x',
    'a: b\n  c: d',
    'a: b\n\n  c',
    'a: b\n- c',
    'a:\n  - b\n - c',
    'a: >\n  b\n   c',
    'a: >\n\n  b',
    'a: "b"\n  c',
    'a: {"b":1}',
    'a: {"b":"c","b":"d"}',
    'a: {b: c}',
    'a:',
    'a: 1\na: 2',
    'a: x #c',
    '? a',
    '# c\na: b',
    'a: "\\x41"',
  ])('leaves %j to the library', (yaml) => {
    expect(simpleFrontmatter(yaml)).toBeNull();
  });
});

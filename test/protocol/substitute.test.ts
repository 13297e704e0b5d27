// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the marks of configurations look like templates
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { substitute } from '../../src/protocol/json.ts';

const env = { HOST: 'example.org', EMPTY: '', ODD: 'a $& b $1 ${HOST}' };
/** A text of which {@link substitute} makes exactly this text. */
const escaped = (text: string) => text.replaceAll('${', () => '$${');
const filled = (value: unknown) => substitute(value, env).value;
const problems = (value: unknown) => substitute(value, env).problems;

const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,12}$/);
const value = fc.string({ minLength: 1 });
/** Text that looks like variables more often than chance would have it. */
const text = fc
  .array(fc.oneof(fc.string(), fc.constantFrom('$', '{', '}', '${', '$${', '${A}', ':-')))
  .map((parts) => parts.join(''));

describe('variables in the texts of a configuration', () => {
  it('are filled in wherever they stand, also several times', () => {
    expect(filled('https://${HOST}/v1?from=${HOST}')).toBe('https://example.org/v1?from=example.org');
    expect(filled({ a: [{ b: '${HOST}' }], n: 5, t: true, z: null })).toEqual({
      a: [{ b: 'example.org' }],
      n: 5,
      t: true,
      z: null,
    });
  });

  it('have a fallback for when they are not set, or empty', () => {
    expect(filled('${NONE:-local}')).toBe('local');
    expect(filled('${EMPTY:-local}')).toBe('local');
    expect(filled('${NONE:-}')).toBe('');
    expect(filled('${HOST:-local}')).toBe('example.org');
  });

  it('that are missing are told with their fields, all at once', () => {
    expect(problems({ models: { house: { headers: { 'x-key': '${NONE}' } } }, system: '${EMPTY}' })).toEqual([
      'models.house.headers.x-key: the variable NONE is not set; set it, or write ${NONE:-fallback}',
      'system: the variable EMPTY is not set; set it, or write ${EMPTY:-fallback}',
    ]);
  });

  it('that only begin are refused, and the way to write them is told', () => {
    for (const bad of ['${', '${}', '${1}', '${not a name}', '${HOST:fallback}'])
      expect(problems({ system: bad }), bad).toEqual([expect.stringMatching(/^system: .*write \$\$\{/)]);
  });

  it('bring in their values as they are: what looks like a variable in a value is text', () => {
    expect(filled('<${ODD}>')).toBe('<a $& b $1 ${HOST}>');
  });

  it('do not change the names of fields', () => {
    expect(filled({ '${HOST}': 1 })).toEqual({ '${HOST}': 1 });
  });

  it('any text, escaped, means itself', () => {
    fc.assert(
      fc.property(text, (text) => {
        expect(substitute(escaped(text), {})).toEqual({ value: text, problems: [] });
      }),
    );
  });

  it('any value between any two texts is found there', () => {
    fc.assert(
      fc.property(text, name, value, text, (before, name, value, after) => {
        const written = `${escaped(before)} \${${name}} ${escaped(after)}`;
        expect(substitute(written, { [name]: value }).value).toBe(`${before} ${value} ${after}`);
        expect(substitute(written, {}).problems).toHaveLength(1);
      }),
    );
  });

  it('any fallback without a brace is used when the variable is missing, and only then', () => {
    const fallback = fc.string().filter((text) => !text.includes('}'));
    fc.assert(
      fc.property(name, value, fallback, (name, value, fallback) => {
        const written = `\${${name}:-${fallback}}`;
        expect(substitute(written, {}).value).toBe(fallback);
        expect(substitute(written, { [name]: value }).value).toBe(value);
      }),
    );
  });

  it('leave everything alone that has none', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        fc.pre(!JSON.stringify(json).includes('${'));
        expect(substitute(json, {})).toEqual({ value: json, problems: [] });
      }),
    );
  });
});

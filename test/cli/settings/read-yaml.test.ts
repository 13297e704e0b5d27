import { describe, expect, it } from 'vitest';
import { readYaml } from '../../../src/cli/settings/read-yaml.ts';
import { TextFault } from '../../../src/cli/settings/text-file.ts';

function placeOfFault(text: string): string {
  try {
    return `read as ${JSON.stringify(readYaml(text))}`;
  } catch (error) {
    if (error instanceof TextFault)
      return error.place ? `${error.place.line}:${error.place.column}` : error.message;
    throw error;
  }
}

describe('reading YAML', () => {
  it('goes by YAML 1.2: what was a boolean or an octal number in 1.1 is not', () => {
    expect(readYaml('a: yes\nb: off\nc: 0o17\nd: 017\ne: ~\nf: true\ng: 2001-01-01')).toEqual({
      a: 'yes',
      b: 'off',
      c: 15,
      d: 17,
      e: null,
      f: true,
      g: '2001-01-01',
    });
  });

  it('takes a file of comments for an empty configuration', () => {
    expect(readYaml('# nothing yet\n')).toEqual({});
    expect(readYaml('')).toEqual({});
  });

  it('knows anchors', () => {
    expect(readYaml('a: &x [1]\nb: *x')).toEqual({ a: [1], b: [1] });
  });

  it.each([
    ['a key that is there twice', 'model: a\nlimits:\n  maxSteps: 1\n  maxSteps: 2\n', '4:3'],
    ['a bracket that is not closed', 'tools:\n  allowed: [a, b\n', '3:1'],
    ['an indentation that fits nothing', 'a:\n    b: 1\n  c: 2\n', '3:1'],
    ['a second document', 'a: 1\n---\nb: 2\n', '2:1'],
    ['a tag that the core schema lacks', 'a: !secret x\n', '1:4'],
    ['an anchor that is not there', 'a: *nobody\n', '1:4'],
  ])('tells the place of %s', (_, text, place) => {
    expect(placeOfFault(text)).toBe(place);
  });

  it('refuses a few lines that would unfold into millions', () => {
    const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 9; i++)
      bomb.push(
        `a${i}: &a${i} [${Array(9)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      );
    expect(placeOfFault(bomb.join('\n'))).toMatch(/alias/);
  });
});

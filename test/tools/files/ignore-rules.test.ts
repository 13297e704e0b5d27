import { describe, expect, it } from 'vitest';
import { globMatcher } from '../../../src/tools/files/glob.ts';
import { IgnoreRules } from '../../../src/tools/files/ignore-rules.ts';

/** Whether a file is left out, by itself or with a folder above it. */
function ignored(rules: IgnoreRules, path: string): boolean {
  const segments = path.split('/');
  return segments.some((_, i) => rules.ignores(segments.slice(0, i + 1), i < segments.length - 1));
}

// What `git check-ignore --no-index` (2.39) answers.
describe('the rules of a .gitignore', () => {
  it.each<[text: string, left: string[], kept: string[]]>([
    ['a', ['a', 'x/a', 'a/b'], ['ab', 'b/ab']],
    ['/a', ['a', 'a/b'], ['x/a']],
    ['a/', ['a/b', 'x/a/b'], ['a', 'x/a']],
    ['x/a', ['x/a'], ['y/x/a', 'a']],
    ['*.log', ['a.log', 'x/.log'], ['a.log2']],
    ['*.log\n!keep.log', ['a.log'], ['keep.log', 'x/keep.log']],
    ['!a\na', ['a'], []],
    ['x\n!x/a', ['x/a'], []],
    ['x/*\n!x/a', ['x/b'], ['x/a']],
    ['**/a', ['a', 'x/a', 'x/y/a'], []],
    ['a/**', ['a/b', 'a/b/c'], ['a', 'x/a/b']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['x/a/b', 'a/x/bc']],
    ['a**b', ['ab', 'axxb'], ['a/b']],
    ['?', ['a', 'é'], ['ab']],
    ['[a-c]1', ['a1', 'c1'], ['d1', 'a2']],
    ['[!a]', ['b'], ['a']],
    ['[^a]', ['b'], ['a']],
    ['[]a]', [']', 'a'], ['b']],
    ['[[:digit:]]x', ['7x'], ['ax', ':x']],
    ['[a', [], ['[a', 'a']],
    ['a\\', [], ['a', 'a\\']],
    ['\\*', ['*'], ['a']],
    ['#a\n\\#b', ['#b'], ['#a', 'a']],
    ['\\!a', ['!a'], ['a']],
    ['a   ', ['a'], ['a ']],
    ['a\\ ', ['a '], ['a']],
    ['\r\na\r\n', ['a'], ['b']],
    ['\ufeffa', ['a'], ['b']],
    ['\n \n/\n!', [], ['a', 'x/a']],
  ])('%j', (text, left, kept) => {
    const rules = new IgnoreRules().with(text, 0);
    for (const path of left) expect(ignored(rules, path), path).toBe(true);
    for (const path of kept) expect(ignored(rules, path), path).toBe(false);
  });

  it('deeper in the tree come last, and are about their own folder', () => {
    const rules = new IgnoreRules().with('*.log\n/top', 0).with('!*.log\n/a', 1);
    expect(['sub/x.log', 'sub/a', 'sub/b/a'].map((path) => ignored(rules, path))).toEqual([
      false,
      true,
      false,
    ]);
  });
});

describe('a glob', () => {
  it.each<[glob: string, hits: string[], misses: string[]]>([
    ['*.ts', ['a.ts', 'x/y/.ts'], ['a.tsx', 'ts']],
    ['./*.ts', ['a.ts'], ['x/a.ts']],
    ['src/*.ts', ['src/a.ts'], ['src/x/a.ts', 'x/src/a.ts']],
    ['src/**/*.ts', ['src/a.ts', 'src/x/y/a.ts'], ['a.ts']],
    ['*.{ts,md}', ['a.ts', 'x/b.md'], ['a.js']],
    ['{src,test}/{a,b{c,d}}', ['src/a', 'test/bc', 'src/bd'], ['src/b', 'lib/a']],
    ['{a}', ['{a}'], ['a']],
    ['**', ['a', 'a/b'], []],
    ['[ab].t[!x]', ['a.ts', 'b.tt'], ['c.ts', 'a.tx']],
  ])('%s', (glob, hits, misses) => {
    const matches = globMatcher(glob);
    for (const path of hits) expect(matches(path.split('/')), path).toBe(true);
    for (const path of misses) expect(matches(path.split('/')), path).toBe(false);
  });

  it.each([
    `${'*a'.repeat(40)}b`,
    '{a,b}'.repeat(60),
    '{'.repeat(400) + ','.repeat(400),
    `${'**/'.repeat(60)}b`,
    `[${'a-'.repeat(400)}`,
  ])('of %.20s… is tried in no time to speak of', (glob) => {
    const matches = globMatcher(glob);
    expect(matches(Array.from({ length: 200 }, () => 'a'.repeat(250)))).toBe(false);
  });
});

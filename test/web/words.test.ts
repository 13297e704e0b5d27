import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dictionary } from '../../web/src/base/words.ts';

const root = resolve(import.meta.dirname, '../../web/src');
const files = globSync('**/words.ts', { cwd: root }).filter((file) => file !== join('base', 'words.ts'));

type Texts = Record<string, string | ((...values: never[]) => string)>;

const dictionaries = await Promise.all(
  files.map(async (file) => {
    const { t } = (await import(join(root, file))) as { t: { [dictionary]: Record<string, Texts> } };
    return [file, t[dictionary]] as const;
  }),
);

const sourceOf = (text: Texts[string] | undefined) =>
  typeof text === 'function' ? text.toString() : (text ?? '');

describe.each(dictionaries)('%s', (_file, { en = {}, 'zh-CN': zh = {} }) => {
  it('has the same keys in both languages, and no empty text', () => {
    expect(Object.keys(zh).sort()).toEqual(Object.keys(en).sort());
    for (const [key, text] of [...Object.entries(en), ...Object.entries(zh)])
      expect(sourceOf(text), key).not.toBe('');
  });

  it('takes the same values in both', () => {
    for (const [key, text] of Object.entries(en)) expect(typeof zh[key], key).toBe(typeof text);
  });

  it('writes Chinese with full-width punctuation, and never with the formal you', () => {
    for (const [key, text] of Object.entries(zh)) {
      expect(sourceOf(text), key).not.toMatch(/[一-鿿][,;:!?]|[一-鿿]\.(?:\s|$)/);
      expect(sourceOf(text), key).not.toContain('您');
    }
  });
});

it('all words of the page lie in files of that name', () => {
  const others = globSync('**/*.{ts,tsx}', { cwd: root }).filter((file) => !file.endsWith('words.ts'));
  const found = others.filter((file) => /\bwords\(\s*\{/.test(readFileSync(join(root, file), 'utf8')));
  expect(found).toEqual([]);
  expect(dictionaries.length).toBeGreaterThan(0);
});

import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dictionary } from '../../web/src/base/words.ts';

const root = resolve(import.meta.dirname, '../../web/src');
const files = globSync('**/words.ts', { cwd: root }).filter((file) => file !== join('base', 'words.ts'));

type Text = string | ((...values: never[]) => string);

const dictionaries = await Promise.all(
  files.map(async (file) => {
    const { t } = (await import(join(root, file))) as { t: { [dictionary]: Record<string, [Text, Text]> } };
    return [file, Object.entries(t[dictionary])] as const;
  }),
);

const sourceOf = (text: Text) => (typeof text === 'function' ? text.toString() : text);

describe.each(dictionaries)('%s', (_file, entries) => {
  it('has words, each in two languages and none empty', () => {
    expect(entries.length).toBeGreaterThan(0);
    for (const [key, texts] of entries) {
      expect(texts, key).toHaveLength(2);
      for (const text of texts) expect(sourceOf(text), key).not.toBe('');
    }
  });

  it('takes the same values in both', () => {
    for (const [key, [en, zh]] of entries) expect(typeof zh, key).toBe(typeof en);
  });

  it('writes Chinese with full-width punctuation, and never with the formal you', () => {
    for (const [key, [, zh]] of entries) {
      expect(sourceOf(zh), key).not.toMatch(/[一-鿿][,;:!?]|[一-鿿]\.(?:\s|$)/);
      expect(sourceOf(zh), key).not.toContain('您');
    }
  });
});

it('all words of the page lie in files of that name', () => {
  const others = globSync('**/*.{ts,tsx}', { cwd: root }).filter((file) => !file.endsWith('words.ts'));
  const found = others.filter((file) => /\bwords\(\s*\{/.test(readFileSync(join(root, file), 'utf8')));
  expect(found).toEqual([]);
  expect(dictionaries.length).toBeGreaterThan(0);
});

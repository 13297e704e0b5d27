import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../web/src');
const sheets = globSync('**/*.css', { cwd: root }).sort();
const pageOf = (file: string) => /^pages\/(?!tour\/)(\w+)\//.exec(file)?.[1];

/** The selectors of a stylesheet that stand in no other rule, and `@keyframes` with their names. */
function outermost(file: string): string[] {
  const css = readFileSync(join(root, file), 'utf8').replaceAll(/\/\*.*?\*\//gs, '');
  const found: string[] = [];
  const open: string[] = [];
  for (const [, before = '', sign] of css.matchAll(/([^{};]*)([{};])/g)) {
    const prelude = before.trim();
    if (sign === '}') open.pop();
    if (sign !== '{') continue;
    const isOutermost = open.every((one) => /^@(?!keyframes)/.test(one));
    if (isOutermost && !/^@(?!keyframes)/.test(prelude)) found.push(...prelude.split(/,(?![^(]*\))\s*/));
    open.push(prelude);
  }
  return found;
}

const firstClass = (selector: string) => /^[a-z]*\.([\w-]+)/.exec(selector)?.[1];

/** The classes by which a stylesheet of a part, of the tour or of all begins, and the file. */
const owners = sheets
  .filter((file) => pageOf(file) === undefined)
  .flatMap((file) => [...new Set(outermost(file).map(firstClass))].map((name) => ({ name, file })))
  .filter(({ name }) => name !== undefined);

it('has no stylesheet of two subjects: none is longer than 400 lines', () => {
  const lines = (file: string) => readFileSync(join(root, file), 'utf8').split('\n').length;
  expect(sheets.filter((file) => lines(file) > 400)).toEqual([]);
});

it('puts all styles of a page under the class of its root, since they stay when the page is left', () => {
  const loose = sheets.flatMap((file) => {
    const page = pageOf(file);
    if (page === undefined) return [];
    const fits = (one: string) => one === `.${page}-page` || one.startsWith(`@keyframes ${page}-`);
    return outermost(file).flatMap((one) => (fits(one) ? [] : [`${file}: ${one}`]));
  });
  expect(loose).toEqual([]);
});

it('begins the styles of each part with names that no other stylesheet and no page uses', () => {
  const parts = owners.filter(({ file }) => file.includes('/'));
  const twice = parts.filter(({ name, file }) =>
    owners.some((other) => other.name === name && other.file !== file),
  );
  const nameless = sheets.flatMap((file) =>
    pageOf(file) === undefined && file.includes('/')
      ? outermost(file).filter((one) => firstClass(one) === undefined && !one.startsWith('@keyframes '))
      : [],
  );
  const taken = globSync('pages/**/*.tsx', { cwd: root, exclude: ['pages/tour/**'] }).flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    const classes = [...source.matchAll(/class=("[^"]*"|\{[^}]*\})/g)].flatMap(
      ([, text = '']) => text.match(/[\w-]+/g) ?? [],
    );
    return parts.flatMap(({ name }) => (classes.includes(name ?? '') ? [`${file}: ${name}`] : []));
  });
  expect({ twice, nameless, taken }).toEqual({ twice: [], nameless: [], taken: [] });
});

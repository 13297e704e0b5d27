import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { compileJava, noJdk } from '../../../scripts/build-java.ts';
import { temporaryWorkspace } from '../../support/detent.ts';
import { describeWith } from '../../support/needs.ts';
import { builtJava, quickStart } from '../java/support.ts';

const project = resolve(import.meta.dirname, '../../../clients/android');
const filesOf = (pattern: string) =>
  globSync(pattern, { cwd: project })
    .sort()
    .map((file) => join(project, file));
const java = filesOf('*/src/main/java/**/*.java');
const xml = filesOf('*/src/main/**/*.xml');
const read = (file: string) => readFileSync(file, 'utf8');

/** What the resources of the sample define, by their types, as Android's tools number them. */
function resources(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const add = (type: string, name: string) => found.set(type, (found.get(type) ?? new Set()).add(name));
  for (const file of filesOf('sample/src/main/res/*/*.xml')) {
    const folder = basename(dirname(file));
    const text = read(file);
    for (const [, name = ''] of text.matchAll(/@\+id\/(\w+)/g)) add('id', name);
    if (!folder.startsWith('values')) add(folder, basename(file, '.xml'));
    else for (const [, type = '', name = ''] of text.matchAll(/<(\w+) name="(\w+)"/g)) add(type, name);
  }
  return found;
}

/** Writes the stubs of Android's classes, and the class that its tools make of the resources. */
function writeStubs(folder: string, defined: Map<string, Set<string>>): string[] {
  const stubs = read(join(import.meta.dirname, 'stubs.txt'))
    .split(/^== /m)
    .slice(1)
    .map((stub) => stub.split(/\n([\s\S]*)/));
  const types = [...defined].map(
    ([type, names]) =>
      `public static final class ${type} { ${[...names].map((name) => `public static int ${name};`).join(' ')} }`,
  );
  const ids = `package dev.detent.sample;\nfinal class R { ${types.join('\n')} }\n`;
  return [...stubs, ['dev/detent/sample/R.java', ids]].map(([name = '', text = '']) => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  });
}

describeWith(noJdk === null, noJdk ?? '')('the Android project', () => {
  it('compiles against stubs of the classes that it uses, for Java 8', async () => {
    const folder = await temporaryWorkspace();
    const stubs = writeStubs(folder, resources());
    expect(() => compileJava([...stubs, ...java], join(folder, 'classes'), builtJava().jar)).not.toThrow();
    expect(java.length).toBeGreaterThan(10);
  });

  it('has XML that is well-formed, and names nothing that is not there', () => {
    const main = join(import.meta.dirname, 'XmlMain.java');
    const { stdout, stderr } = spawnSync('java', [...quickStart, main, ...xml], { encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['', '']);
    const defined = resources();
    const named = xml.flatMap((file) => [
      ...read(file).matchAll(/"@(string|color|style|xml|layout)\/(\w+)"/g),
    ]);
    const values = xml.flatMap((file) => [...read(file).matchAll(/>@(string|color)\/(\w+)</g)]);
    const missing = [...named, ...values].filter(([, type = '', name = '']) => !defined.get(type)?.has(name));
    expect(missing.map(([all]) => all)).toEqual([]);
    const classes = java.map((file) => basename(file, '.java'));
    const started = [
      ...read(join(project, 'sample/src/main/AndroidManifest.xml')).matchAll(/:name="\.(\w+)"/g),
    ];
    expect(started).toHaveLength(3);
    for (const [, name] of started) expect(classes).toContain(name);
  });

  it('says everything in English and in Chinese', () => {
    const [english, chinese] = ['values', 'values-zh'].map((folder) => {
      const text = read(join(project, `sample/src/main/res/${folder}/strings.xml`));
      const all = [...text.matchAll(/name="(\w+)">([^<]*)</g)];
      return new Map(all.map(([, name = '', words = '']) => [name, words]));
    });
    expect([...(chinese?.keys() ?? [])]).toEqual([...(english?.keys() ?? [])]);
    const placesOf = (words: string) => [...words.matchAll(/%\d\$[sd]/g)].map(([place]) => place).sort();
    for (const [name, words] of english ?? []) {
      const other = chinese?.get(name) ?? '';
      expect(other).toMatch(/\p{Script=Han}/u);
      expect([name, placesOf(other)]).toEqual([name, placesOf(words)]);
    }
    // What is shown is in one of the two files, not in the code.
    const spoken = filesOf('sample/src/main/java/**/*.java').flatMap((file) => [
      ...read(file).matchAll(/(?:setText|setContentTitle|setContentText)\("[^"]+"/g),
    ]);
    expect(spoken).toEqual([]);
  });
});

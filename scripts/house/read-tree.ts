import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** The imports of one source file: files by their path from the root of the project, packages by their specifier. */
export interface SourceFile {
  path: string;
  lines: number;
  files: readonly string[];
  packages: readonly string[];
}

const statement = /^\s*(?:import|export)\s(?:[^;'"]*?\sfrom\s+)?'([^']+)'/gm;
const dynamic = /\bimport\(\s*'([^']+)'\s*\)/g;

/** Reads one file as Biome formats it: imports at the start of a line, single quotes. Types count like values. */
export function readSource(path: string, text: string): SourceFile {
  const specifiers = [...text.matchAll(statement), ...text.matchAll(dynamic)].map(([, word = '']) => word);
  const isFile = (specifier: string) => /^(?:\.|#src\/)/.test(specifier);
  return {
    path,
    lines: text.split('\n').length - 1,
    files: [...new Set(specifiers.filter(isFile).map((word) => fileOf(path, word)))],
    packages: [...new Set(specifiers.filter((word) => !isFile(word)))],
  };
}

/** `#src/` is the alias of `src/` that `imports` of package.json declares. */
const fileOf = (path: string, specifier: string) =>
  specifier.startsWith('#') ? specifier.slice(1) : posix.join(posix.dirname(path), specifier);

/** Reads `src`, `machines` and `web` of the project in that folder. */
export function readTree(root: string): SourceFile[] {
  const paths = globSync(['src/**/*.ts', 'machines/**/*.ts', 'web/src/**/*.{ts,tsx}'], { cwd: root })
    .filter((path) => !path.endsWith('.d.ts'))
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
  const known = new Set(paths);
  return paths.map((path) => {
    const source = readSource(path, readFileSync(join(root, path), 'utf8'));
    // A template of source code has imports that are text.
    return { ...source, files: source.files.filter((file) => known.has(file)) };
  });
}

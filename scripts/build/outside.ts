import { createRequire, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Plugin } from 'rolldown';

/**
 * Imports Node's own modules by `process.getBuiltinModule`. An import declaration reads every property of such a module, and
 * those of `node:fs` and `node:crypto` load streams and Web Crypto: 5 ms of CPU time, where Node itself starts in 25. What
 * takes a millisecond and more is loaded when one of its functions is first called.
 */
export const nodeModules: Plugin = {
  name: 'modules of Node',
  renderChunk(code) {
    const lines = code.split('\n');
    const end = lines.findIndex((line) => !/^(import\b|#!|$)/.test(line));
    const head = lines.slice(0, end).map(withoutDeclaration);
    // A line stays a line, so that source maps fit.
    return { code: [...head, ...lines.slice(end)].join('\n'), map: null };
  },
};

/** Modules of Node that take 1 to 10 ms to load, beyond what Node itself has loaded when it starts. */
const slowModules: readonly string[] = [
  'node:child_process',
  'node:crypto',
  'node:dns/promises',
  'node:fs/promises',
  'node:http',
  'node:net',
  'node:readline',
  'node:stream',
  'node:tls',
  'node:worker_threads',
  'node:zlib',
];

/** `import path, { join as j } from "node:path";` */
const declaration = /^import (?:([\w$]+),? ?)?(?:\{ (.*) \}|\* as ([\w$]+))? ?from "([^"]+)";$/;

function withoutDeclaration(line: string): string {
  const [, whole, names, namespace, from = ''] = declaration.exec(line) ?? [];
  const id = from.startsWith('node:') ? from : `node:${from}`;
  // The bundler's own code needs it on an older Node, too, until that is told that it is too old.
  if (!isBuiltin(from) || id === 'node:module') return line;
  const wholes = [whole, namespace].filter((name) => name !== undefined);
  const pairs = (names ?? '').split(', ').filter((name) => name !== '');
  const parts = pairs.map((pair) => pair.split(' as ')).map(([name = '', own = name]) => ({ name, own }));
  const isLate = slowModules.includes(id) && parts.every(({ name }) => isPlainFunction(id, name));
  const declared = isLate ? declaredLate(id, wholes, parts) : declaredNow(id, wholes, parts);
  return `const ${declared.join(', ')};`;
}

interface Imported {
  name: string;
  own: string;
}

function declaredNow(id: string, wholes: readonly string[], parts: readonly Imported[]): string[] {
  // An older Node has no such function: it gets as far as the message that says so.
  const found = `process.getBuiltinModule?.(${JSON.stringify(id)}) ?? {}`;
  const named = parts.map(({ name, own }) => (name === own ? name : `${name}: ${own}`)).join(', ');
  return [...wholes, ...(named === '' ? [] : [`{ ${named} }`])].map((it) => `${it} = ${found}`);
}

function declaredLate(id: string, wholes: readonly string[], parts: readonly Imported[]): string[] {
  const found = `process.getBuiltinModule(${JSON.stringify(id)})`;
  return [
    ...wholes.map((it) => `${it} = new Proxy({}, { get: (_, name) => ${found}[name] })`),
    ...parts.map(({ name, own }) => `${own} = (...given) => ${found}.${name}(...given)`),
  ];
}

/** Whether another function can stand for it: no class, and nothing that `promisify` treats in a way of its own. */
function isPlainFunction(id: string, name: string): boolean {
  const value = (process.getBuiltinModule(id) as Record<string, unknown>)[name];
  return typeof value === 'function' && /^[a-z]/.test(name) && !(promisify.custom in value);
}

const sqliteId = '\0sqlite';
const sqliteFolder = dirname(createRequire(import.meta.url).resolve('better-sqlite3/package.json'));

/**
 * Bundles the JavaScript of better-sqlite3 but for the file that finds its native part, which looks beside itself: 14 files
 * less are opened with a database. Does what its `lib/index.js` does.
 */
export const sqlite: Plugin = {
  name: 'SQLite',
  resolveId: {
    filter: { id: /^better-sqlite3$/ },
    handler: () => sqliteId,
  },
  load: {
    filter: { id: new RegExp(sqliteId) },
    handler: () => `
      import { createRequire } from 'node:module';
      import { join } from 'node:path';
      import createDatabase from ${JSON.stringify(join(sqliteFolder, 'lib/database.js'))};
      import SqliteError from ${JSON.stringify(join(sqliteFolder, 'lib/sqlite-error.js'))};
      function getBinding(given) {
        const load = createRequire(import.meta.url);
        return load(join(load.resolve('better-sqlite3/package.json'), '../lib/binding.js')).getBinding(given);
      }
      const Database = createDatabase(getBinding, true);
      Database.SqliteError = SqliteError;
      export default Database;`,
  },
};

/** Puts the factories of mathjs that are used in the place of all. */
export const mathFactories: Plugin = {
  name: 'factories of mathjs',
  resolveId: {
    filter: { id: /^\.\/factories\.ts$/ },
    handler: (_id, importer) =>
      importer && /[\\/]src[\\/]tools[\\/]math[\\/]/.test(importer)
        ? join(import.meta.dirname, 'math-factories.mjs')
        : null,
  },
};

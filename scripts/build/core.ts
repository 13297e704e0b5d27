import { createRequire, isBuiltin } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { transform } from 'esbuild';
import { type Plugin, rolldown } from 'rolldown';
import { importPastDoors } from './doors.ts';
import { askedStatements } from './statements.ts';

const root = resolve(import.meta.dirname, '../..');

/** A module and all that it imports, in one file, for a host that is not Node. */
export interface CoreBundle {
  code: string;
  /** Modules of Node that it would ask for: none, if the host is to run it. */
  asked: readonly string[];
  /** The names of the packages whose code is in it. */
  packages: readonly string[];
  /** The files of those modules. */
  files: readonly string[];
}

/**
 * Bundles what runs on a phone. The compiler of Hermes refuses async generators and `using`, so both are written in terms of what
 * it has.
 *
 * @param entry path of a module, from the root of the repository
 * @param outside what is imported as it is, instead of being part of the file: by default Node's modules, so that they are found out
 * @param format `iife` leaves its exports in the global variable `detent`
 */
export async function bundleCore(
  entry: string,
  format: 'esm' | 'iife',
  { minify, outside = isBuiltin }: { minify: boolean; outside?: (id: string) => boolean },
): Promise<CoreBundle> {
  const build = await rolldown({
    cwd: root,
    input: resolve(root, entry),
    platform: 'neutral',
    resolve: { mainFields: ['module', 'main'], conditionNames: ['module', 'import', 'default'] },
    external: (id) => outside(id),
    // Of our modules, those alone that bring what the engine lacks do something when they are loaded.
    treeshake: { moduleSideEffects: (id) => /[\\/]src[\\/]core[\\/](index|globals)\.ts$/.test(id) },
    transform: { define: { 'globalThis.process': 'undefined' } },
    plugins: [importNow, askedStatements, importPastDoors([resolve(root, entry)]), lowered],
    checks: { ineffectiveDynamicImport: false, emptyImportMeta: false, pluginTimings: false },
  });
  const { output } = await build.generate({
    format,
    name: 'detent',
    minify,
    comments: false,
    codeSplitting: false,
    globals: (id) => `node[${JSON.stringify(id)}]`,
  });
  await build.close();
  const [{ code, imports, dynamicImports, modules }] = output;
  const files = Object.entries(modules).flatMap(([id, { renderedLength }]) =>
    renderedLength > 0 ? [id] : [],
  );
  const packages = files.map((id) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1]);
  return {
    code,
    asked: [...imports, ...dynamicImports].filter((id) => isBuiltin(id)),
    packages: [...new Set(packages)].filter((name) => name !== undefined),
    files,
  };
}

/** `const { a, b: c } = await import('x');`, `(await import('x')).a`, and `import('x').then(({ a }) =>`. */
const later =
  /const \{([^{}]*)\} = await import\(\s*'([^']+)'\s*\);|\(await import\(\s*'([^']+)'\s*\)\)\.(\w+)|\bimport\(\s*'([^']+)'\s*\)\.then\(\(\{([^{}]*)\}\)/g;

/** One file has nothing to load later: an import that says so would keep all that its module exports. */
const importNow: Plugin = {
  name: 'imports at once',
  transform: {
    filter: { id: /[\\/](src|machines)[\\/].*\.ts$/ },
    handler(code) {
      const added: string[] = [];
      const shown = (name: string, from: string) => {
        const own = `$now${added.length}`;
        added.push(`import { ${name} as ${own} } from '${from}';`);
        return own;
      };
      const pairs = (names: string) =>
        names.split(',').flatMap((one) => {
          const [name = '', own = name] = one.split(':').map((word) => word.trim());
          return name === '' ? [] : [{ name, own }];
        });
      const now = code.replace(later, (_, names, from, wholeFrom, member, thenFrom, given) => {
        if (from !== undefined)
          return pairs(names)
            .map(({ name, own }) => `const ${own} = ${shown(name, from)};`)
            .join(' ');
        if (wholeFrom !== undefined) return shown(member, wholeFrom);
        const fields = pairs(given).map(({ name }) => `${name}: ${shown(name, thenFrom)}`);
        return `Promise.resolve({ ${fields.join(', ')} }).then(({${given}})`;
      });
      return added.length === 0 ? null : { code: `${added.join(' ')} ${now}`, map: null, moduleType: 'ts' };
    },
  },
};

/** The compiler of Hermes refuses async generators and `using`. */
const lowered: Plugin = {
  name: 'words that Hermes has',
  async renderChunk(text) {
    const { code } = await transform(text, {
      target: 'esnext',
      supported: { 'async-generator': false, using: false },
    });
    return { code, map: null };
  },
};

/** The compiler of Hermes of this machine. */
export function hermesCompiler(): string {
  const folder = dirname(createRequire(import.meta.url).resolve('hermes-compiler/package.json'));
  const [system = 'linux64-bin', program = 'hermesc'] =
    { darwin: ['osx-bin'], win32: ['win64-bin', 'hermesc.exe'] }[process.platform as string] ?? [];
  return join(folder, 'hermesc', system, program);
}

import { readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { transform } from 'esbuild';
import { type Plugin, rolldown } from 'rolldown';
import { type Doors, importPastDoors, pastDoors } from './doors.ts';
import { askedStatements } from './statements.ts';

const root = resolve(import.meta.dirname, '../..');

/** What runs on a phone, as files of JavaScript. */
interface CoreBundle {
  /** The name of each file, and its text. Those of entries are named as they are asked for. */
  files: ReadonlyMap<string, string>;
  /** Modules of Node that it would ask for: none, if the host is to run it. */
  asked: readonly string[];
  /** The names of the packages whose code is in it. */
  packages: readonly string[];
  /** The modules that are in it. */
  modules: readonly string[];
}

interface BundleOptions {
  minify: boolean;
  /** `iife` makes one file of one entry, which leaves its exports in the global variable `detent`. */
  format: 'esm' | 'iife';
  /** What is imported as it is, instead of being part of the files: by default Node's modules, so that they are found out. */
  outside?: (id: string) => boolean;
}

/** One entry and all that it imports, in one file. */
export async function bundleCoreFile(entry: string): Promise<CoreBundle & { code: string }> {
  const made = await bundleCore([entry], { format: 'iife', minify: true });
  const [code = ''] = made.files.values();
  return { ...made, code };
}

/**
 * Bundles what runs on a phone. The compiler of Hermes refuses async generators and `using`, so both are written in terms of what
 * it has.
 *
 * @param entries paths of modules without their ending, from the root of the repository; what several import is a file of its own
 */
export async function bundleCore(
  entries: readonly string[],
  { format, minify, outside = isBuiltin }: BundleOptions,
): Promise<CoreBundle> {
  const inputs = entries.map((entry) => resolve(root, `${entry}.ts`));
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map((entry, i) => [entry, inputs[i] ?? ''])),
    platform: 'neutral',
    resolve: { mainFields: ['module', 'main'], conditionNames: ['module', 'import', 'default'] },
    external: (id) => outside(id),
    // Of our modules, those alone that bring what the engine lacks do something when they are loaded.
    treeshake: {
      moduleSideEffects: (id) =>
        /[\\/]src[\\/]core[\\/](conversations|index|openai|sub-runs|workflows|globals)\.ts$/.test(id),
    },
    transform: { define: { 'globalThis.process': 'undefined' } },
    plugins: [
      forOneProcess,
      brought(inputs),
      importNow,
      usualFormats,
      askedStatements,
      importPastDoors(inputs),
      lowered,
    ],
    checks: { ineffectiveDynamicImport: false, emptyImportMeta: false, pluginTimings: false },
  });
  const { output } = await build.generate({
    format,
    name: 'detent',
    minify,
    comments: false,
    chunkFileNames: 'parts/core-[hash].js',
    globals: (id) => `node[${JSON.stringify(id)}]`,
  });
  await build.close();
  const chunks = output.filter((file) => file.type === 'chunk');
  const modules = chunks.flatMap((chunk) =>
    Object.entries(chunk.modules).flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? [id] : [])),
  );
  const packages = modules.map((id) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1]);
  return {
    files: new Map(chunks.map(({ fileName, code }) => [fileName, code])),
    asked: chunks
      .flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
      .filter((id) => isBuiltin(id)),
    packages: [...new Set(packages)].filter((name) => name !== undefined),
    modules,
  };
}

/** A part that nothing in a core reaches. */
const lacking = 'const lacking = () => { throw new Error("detent/core does not have this"); };';

/** What stands for a module until a part of the core brings it whole: see `broughtBy`. */
const lateModule = 'let whole = null; export const bring = (given) => { whole = given; };';

/** Functions of a module that only a part of the core brings. */
const lateFunctions = (...names: string[]) =>
  `${lateModule} ${names.map((name) => `export const ${name} = (...given) => whole.${name}(...given);`).join(' ')}`;

/**
 * What stands for modules that a core has no use for. No other process shares its database. It has no staff who takes
 * conversations over, and no calls that the caller of a run performs. No run begins another, unless a part of the core brings
 * that. `NestedStates` is a faster way to what xstate does.
 */
const standIns: Readonly<Record<string, string>> = {
  'src/runs/decisions/watch.ts': 'export class Watch { async stop() {} }',
  'src/engine/drive/lookout.ts': 'export class Lookout { async look() {} reconsider() {} }',
  'src/engine/machine/nested-states.ts': 'export class NestedStates { static of() { return null; } }',
  'src/runs/takeover/begin-takeover.ts': `${lacking} export { lacking as replaceRuns, lacking as ofNext }; export const cutReason = "";`,
  'src/runs/takeover/keep-request.ts': `${lacking} export { lacking as keepRequest }; export class KeptBefore extends Error {} export const keptRow = (id) => "kept " + id;`,
  'src/runs/decisions/held-calls.ts': `${lacking} export { lacking as claimCall, lacking as releaseCall }; export const refuseHeld = () => {};`,
  'src/runs/flows/read-flow-view.ts': lateFunctions('readFlowView'),
  // Only a server's database has addresses of providers.
  'src/agent/model-call/check-address.ts': 'export function checkAddress() {}',
  // The schemas of an app are its own program's, which is tested on Node.
  'src/tools/output/schema-problem.ts': 'export const schemaProblem = () => null;',
  'src/engine/drive/child-ends.ts': lateFunctions('deliverChildEnd'),
  'src/call/start-call.ts': lateFunctions('startCall'),
  // Only a run that another one began gets letters: all other commands come from this process.
  'src/runs/decisions/mailbox.ts': `${lateModule}
    export class Mailbox {
      isClosed = false;
      sending = new Set();
      constructor(options) { if (whole) return new whole.Mailbox(options); }
      async stop() { this.isClosed = true; await Promise.allSettled(this.sending); }
      async deliver() {}
      send(tenant, runId, command, perform) {
        const sent = perform();
        const over = () => void this.sending.delete(sent);
        this.sending.add(sent);
        sent.then(over, over);
        return sent;
      }
    }
    export const settlesWith = (...given) => whole ? whole.settlesWith(...given) : {};`,
};

/** The modules that a part of the core brings, so that a core without that part does not have them. */
const broughtBy: Readonly<Record<string, readonly string[]>> = {
  'src/core/workflows.ts': [
    'src/runs/flows/read-flow-view.ts',
    'src/engine/drive/child-ends.ts',
    'src/call/start-call.ts',
    'src/runs/decisions/mailbox.ts',
  ],
};

/** The name of a module itself, beside which another one stands. */
const wholeOf = (path: string) => path.replace(/\.ts$/, '.whole.ts');

/** @see standIns */
const forOneProcess: Plugin = {
  name: 'for one process',
  load: {
    order: 'pre',
    filter: { id: Object.keys(standIns).map((path) => resolve(root, path)) },
    handler(id) {
      const code = standIns[relative(root, id).replaceAll('\\', '/')];
      return code === undefined ? null : { code, moduleType: 'js' };
    },
  },
};

/** @see broughtBy */
const brought = (published: readonly string[]): Plugin => {
  const known: Doors = new Map();
  const isWhole = /[\\/]src[\\/].*\.whole\.ts$/;
  return {
    name: 'what parts of the core bring',
    resolveId: {
      order: 'pre',
      filter: { id: /\.whole\.ts$/ },
      handler: (id) => resolve(root, id),
    },
    load: {
      order: 'pre',
      filter: { id: isWhole },
      handler(id) {
        const path = id.replace(/\.whole\.ts$/, '.ts');
        return {
          code: pastDoors(readFileSync(path, 'utf8'), path, known, new Set(published)),
          moduleType: 'ts',
        };
      },
    },
    transform: {
      filter: { id: Object.keys(broughtBy).map((path) => resolve(root, path)) },
      handler(code, id) {
        const paths = broughtBy[relative(root, id).replaceAll('\\', '/')] ?? [];
        const lines = paths.flatMap((path, i) => [
          `import { bring as $bring${i} } from ${JSON.stringify(resolve(root, path))};`,
          `import * as $whole${i} from ${JSON.stringify(wholeOf(path))};`,
          `$bring${i}($whole${i});`,
        ]);
        return { code: `${code}\n${lines.join('\n')}`, map: null, moduleType: 'ts' };
      },
    },
  };
};

/** Formats of texts that schemas of tools hardly have: 4 KB of patterns. JSON Schema lets a validator leave formats out. */
const rareFormats = [
  'uri-reference',
  'uri-template',
  'url',
  'json-pointer',
  'json-pointer-uri-fragment',
  'relative-json-pointer',
];

/** @see rareFormats */
const usualFormats: Plugin = {
  name: 'usual formats of texts',
  transform: {
    filter: { id: /[\\/]@cfworker[\\/]json-schema[\\/].*[\\/]format\.js$/ },
    handler(code) {
      const left = rareFormats.reduce((rest, name) => {
        const line = new RegExp(`^ *'?${name}'?: bind\\(\\w+\\),?\\n`, 'm');
        if (!line.test(rest)) throw new Error(`there is no format ${name}: correct rareFormats`);
        return rest.replace(line, '');
      }, code);
      // A pattern that nothing asks for any more is left out, being one constant.
      return { code: left, map: null };
    },
  },
};

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

import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import manifest from '../../package.json' with { type: 'json' };
import { ownEntries } from '../../src/text/files.ts';
import { bundleCore } from './core.ts';
import { importPastDoors } from './doors.ts';
import { noticesOf } from './notices.ts';
import { mathFactories, nodeModules, sqlite } from './outside.ts';
import { postgresStatements } from './postgres-statements.ts';
import { skillHeads } from './skill-heads.ts';
import { statements } from './statements.ts';

const root = resolve(import.meta.dirname, '../..');

/** Files by themselves, with nothing of Node: phones load them. */
const coreModules = [
  'src/core/index',
  'src/core/openai',
  'src/core/conversations',
  'src/core/workflows',
  'src/core/sub-runs',
];

/** Modules that the published package keeps as files of their own: what `exports`, `bin` and threads name. */
export const ownModules = [
  ...ownEntries().values(),
  'src/cli/main',
  'src/memory/index/worker',
  'src/tools/registry/schema-worker',
  'src/trust/code/code-thread',
];

/** The licences of the packages whose code is in the bundle. */
const noticesFile = 'THIRD-PARTY-NOTICES.txt';

/**
 * Writes the JavaScript of `modules`, and what they import, into a folder. What is loaded together becomes one file, so
 * that a start opens tens of files instead of hundreds; a dynamic import stays one, but for the parts of a start. Packages that npm does not install
 * with this one are bundled, as far as their code is used, and so is zod, which is a dependency for the types.
 *
 * @param modules without their ending, from the root of the repository.
 */
export async function bundle(modules: readonly string[], folder: string): Promise<void> {
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(
      modules
        .filter((module) => !coreModules.includes(module))
        .map((module) => [module, resolve(root, `${module}.ts`)]),
    ),
    external: staysOutside,
    plugins: [
      statements,
      postgresStatements,
      skillHeads,
      importPastDoors(modules.map((module) => resolve(root, `${module}.ts`))),
      nodeModules,
      sqlite,
      mathFactories,
    ],
    platform: 'node',
    // A module of a start is imported dynamically where another start does not need it.
    checks: { ineffectiveDynamicImport: false, pluginTimings: false },
    preserveEntrySignatures: 'allow-extension',
  });
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    chunkFileNames: 'parts/[name]-[hash].js',
    // All that a part imports has a part, so that none has to be moved.
    codeSplitting: {
      groups: [
        { name: createPartNames(), debugName: 'parts of a start', includeDependenciesRecursively: false },
      ],
    },
    // Stack traces name the lines of src/ with --enable-source-maps; the sources themselves are in the repository.
    sourcemap: true,
    sourcemapExcludeSources: true,
    // Node keeps the source text in memory: one byte a character if all are ASCII. The types have the comments.
    comments: false,
    charset: 'ascii',
  });
  await build.close();
  const files = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const ofPhones = coreModules.filter((module) => modules.includes(module));
  if (ofPhones.length > 0) {
    const core = await bundleCore(ofPhones, { format: 'esm', minify: false, outside: staysOutside });
    for (const [name, code] of core.files) {
      const file = join(folder, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, code);
    }
    files.push(...core.modules);
  }
  await writeFile(join(folder, noticesFile), await noticesOf(files));
  await writeFile(join(folder, 'client.min.js'), await clientForPages());
}

/** The client as one small file, for pages without a bundler, and as a bundler of an app would make it. */
export async function clientForPages({
  room = 'client',
  format = 'esm',
  minify = true,
}: {
  room?: 'client' | 'sdk';
  format?: 'esm' | 'iife';
  minify?: boolean;
} = {}): Promise<string> {
  const build = await rolldown({ input: join(root, `src/${room}/index.ts`), platform: 'neutral' });
  const { output } = await build.generate({ format, minify, name: 'detent' });
  await build.close();
  const [{ code, imports }, ...others] = output;
  if (imports.length > 0 || others.length > 0)
    throw new Error(`the client is not one file: ${imports.join(', ')}`);
  return code;
}

/**
 * What is loaded together, in the order of a start: each part has these modules and all that they import statically, but for
 * what the parts before it have. Without them each set of modules that the same entries import would be a file: a run would
 * open 150.
 */
const startParts: Readonly<Record<string, readonly string[]>> = {
  // Of a machine and of the library: a page that imports the machine must not get the library, which needs Node.
  machines: ['machines/run.types', 'machines/job.types', 'machines/calls.rules'],
  version: ['src/cli/main'],
  library: [
    'src/index',
    'src/runtime/parts/store',
    'src/text/files/private-files',
    'src/text/files/open-databases',
    'src/protocol/views',
    'src/text/ids',
  ],
  database: [
    'src/store/sql/sqlite',
    'src/cluster/process-ownership',
    'src/store/sql/place',
    'src/runs/lists/list-runs',
  ],
  command: [
    'src/cli/process',
    'src/cli/drive/with-detent',
    'src/cli/settings/load-options',
    'src/cli/terminal/columns',
    'src/cli/commands/run/define',
    'src/cli/commands/runs/define',
    'src/cli/settings/moment',
    'src/cli/trust/ask-for-trust',
    'src/gateway/feeds/sight',
    'src/gateway/methods/method',
    'src/gateway/methods/run-views',
    'src/tools/registry/name-patterns',
    'src/text/wording',
  ],
  machine: ['machines/run.machine', 'src/engine/machine/pure-machine'],
  workflow: ['src/workflow/index'],
  indexing: ['src/memory/index/worker'],
  run: [
    'src/runtime/compose',
    'src/runtime/requests/start-run',
    'src/runtime/parts/skill-views',
    'src/cluster/living-drivers',
    'src/cluster/socket-hints',
  ],
  // With the YAML library, which a program without skills does not need.
  skills: ['src/skills/files/parse-skill'],
  'run-command': ['src/cli/commands/run/run-command', 'src/cli/drive/drive'],
};

/** Parts of which a run needs a little, and where that is, so that a run does not read the rest. */
const partsOfRun: Readonly<Record<string, string>> = {
  command: 'library',
  workflow: 'charts',
  indexing: 'searching',
};

interface Modules {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

/** The part of a module; null leaves it to the bundler. */
function createPartNames(): (id: string, modules: Modules) => string | null {
  let parts: Map<string, string> | null = null;
  return (id, modules) => {
    parts ??= partsOf(modules);
    return parts.get(id) ?? null;
  };
}

function partsOf(modules: Modules): Map<string, string> {
  const parts = new Map<string, string>();
  const entries = new Set(ownModules.map((module) => resolve(root, `${module}.ts`)));
  const ofRun = reachedFrom(startParts.run ?? [], modules, parts);
  for (const [name, roots] of Object.entries(startParts))
    for (const id of reachedFrom(roots, modules, parts))
      if (!entries.has(id)) parts.set(id, (ofRun.has(id) && partsOfRun[name]) || name);
  return parts;
}

/** The modules and all that they import statically, without those that are in a part, and what these import. */
function reachedFrom(
  roots: readonly string[],
  modules: Modules,
  parts: ReadonlyMap<string, string>,
): Set<string> {
  const reached = new Set<string>();
  const add = (id: string): void => {
    const info = parts.has(id) || reached.has(id) ? null : modules.getModuleInfo(id);
    if (info === null) return;
    reached.add(id);
    for (const imported of info.importedIds) add(imported);
  };
  for (const module of roots) {
    const id = resolve(root, `${module}.ts`);
    if (!existsSync(id)) throw new Error(`there is no module ${module}: correct startParts`);
    add(id);
  }
  return reached;
}

/** Dependencies that npm installs for their types (zod, mathjs) or for their native part, and whose JavaScript is bundled. */
const bundledDependencies: readonly string[] = ['zod', 'mathjs', 'better-sqlite3'];

/** A module that is imported from an installed package. */
function staysOutside(id: string): boolean {
  if (/^[./]/.test(id) || /^[a-z]:/i.test(id)) return false;
  if (isBuiltin(id)) return true;
  const [name = id] = /^(@[^/]+\/)?[^/]+/.exec(id) ?? [];
  // A program beside the package names it as its users do.
  if (name === manifest.name) return true;
  const installed = { ...manifest.dependencies, ...manifest.peerDependencies };
  return !bundledDependencies.includes(name) && Object.hasOwn(installed, name);
}

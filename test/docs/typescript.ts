import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterwards } from '../support/afterwards.ts';
import { compileCache } from '../support/compile-cache.ts';
import { programFile } from '../support/program.ts';
import { type Block, root } from './markdown.ts';
import type { Ending, Programs } from './programs-main.ts';

const execute = promisify(execFile);

/** A project of a user's, with one file for each block. */
export interface Project {
  /** By the place of its block. */
  files: ReadonlyMap<string, string>;
  folder: string;
}

/** A project whose programs can be run: `detent` is the bundled package. */
export async function newProject(blocks: readonly Block[]): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'detent-project-'));
  afterwards(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  // For zod and xstate.
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  // What the command line does for configuration files, for every module.
  await writeFile(
    join(folder, 'hooks.mjs'),
    `import { hookModules } from '${pathToFileURL(programFile('src/cli/settings/module-hooks'))}';\nhookModules();\n`,
  );
  return { files: await writePrograms(folder, blocks), folder };
}

/** Writes a file for each block, and says which by the place of the block. */
export async function writePrograms(
  folder: string,
  blocks: readonly Block[],
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  await mkdir(join(folder, 'machines'));
  for (const block of blocks) {
    const { place, text } = block;
    const name = machineOf(block) ?? `${place.replaceAll(/[^A-Za-z0-9]/g, '-')}.ts`;
    files.set(place, name);
    // Without an import or export a file would be a script, and share its names with all others.
    await writeFile(join(folder, name), `${text}\nexport {};\n`);
  }
  return files;
}

/** The path of a block that says which machine it is, for other blocks to import. */
export function machineOf({ text }: Block): string | undefined {
  return /^\/\/ (machines\/[\w-]+\.machine\.ts)\n/.exec(text)?.[1];
}

/** How the programs of a project ended. */
export interface Ran {
  /** By file, what it threw, or null. A file that did not come to its end is missing. */
  endings: ReadonlyMap<string, string | null>;
  /** Of their process; null when it did not end by itself. */
  code: number | null;
  stderr: string;
}

/** Runs files of a project, each in an empty folder, in one process (test/docs/programs-main.ts). */
export async function runFiles({ folder }: Project, files: readonly string[]): Promise<Ran> {
  const endings = join(await emptyFolder(), 'endings.jsonl');
  await writeFile(endings, '');
  const programs = await Promise.all(
    files.map(async (file) => ({ file: join(folder, file), folder: await emptyFolder() })),
  );
  const given: Programs = { programs, endings };
  const main = fileURLToPath(new URL('programs-main.ts', import.meta.url));
  const hooks = pathToFileURL(join(folder, 'hooks.mjs')).href;
  const { code, stderr } = await execute(process.execPath, ['--import', hooks, main, JSON.stringify(given)], {
    env: { ...compileCache, PATH: process.env.PATH ?? '' },
    timeout: 280_000,
  }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    (error: { code?: number | null; stderr: string }) => ({ code: error.code ?? null, stderr: error.stderr }),
  );
  const lines = (await readFile(endings, 'utf8')).split('\n').filter((line) => line !== '');
  const ended = lines.map((line) => JSON.parse(line) as Ending);
  return { endings: new Map(ended.map(({ file, error }) => [relative(folder, file), error])), code, stderr };
}

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'detent-docs-'));
  afterwards(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

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

/** A project of a user's, with one file for each block, in which `detent` is this repository. */
export interface Project {
  /** By the place of its block. */
  files: ReadonlyMap<string, string>;
  folder: string;
}

export async function newProject(blocks: readonly Block[]): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'detent-project-'));
  afterwards(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  // For zod and for the types of Node.
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const paths = {
    detent: [join(root, 'src/index.ts')],
    'detent/testing': [join(root, 'src/testing/index.ts')],
    'detent/schedule': [join(root, 'src/schedule/index.ts')],
    'detent/gateway': [join(root, 'src/gateway/index.ts')],
    'detent/node': [join(root, 'src/gateway/adapters/node.ts')],
    'detent/express': [join(root, 'src/gateway/adapters/express.ts')],
    'detent/fastify': [join(root, 'src/gateway/adapters/fastify.ts')],
    'detent/hono': [join(root, 'src/gateway/adapters/hono.ts')],
    'detent/client': [join(root, 'src/client/index.ts')],
    'detent/inspect': [join(root, 'src/inspect/index.ts')],
    'detent/workflow': [join(root, 'src/workflow/index.ts')],
    'detent/machines': [join(root, 'machines/run.machine.ts')],
  };
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { paths },
      include: ['*.ts', 'machines/*.ts'],
    }),
  );
  // What the command line does for configuration files, for every module.
  await writeFile(
    join(folder, 'hooks.mjs'),
    `import { hookModules } from '${pathToFileURL(programFile('src/cli/settings/module-hooks'))}';\nhookModules();\n`,
  );
  const files = new Map<string, string>();
  await mkdir(join(folder, 'machines'));
  for (const block of blocks) {
    const { place, text } = block;
    const name = machineOf(block) ?? `${place.replaceAll(/[^A-Za-z0-9]/g, '-')}.ts`;
    files.set(place, name);
    // Without an import or export a file would be a script, and share its names with all others.
    await writeFile(join(folder, name), `${text}\nexport {};\n`);
  }
  return { files, folder };
}

/** The path of a block that says which machine it is, for other blocks to import. */
export function machineOf({ text }: Block): string | undefined {
  return /^\/\/ (machines\/[\w-]+\.machine\.ts)\n/.exec(text)?.[1];
}

/** What the compiler says of a project; nothing when all is well. */
export async function typeErrors({ folder }: Project): Promise<string> {
  try {
    // Several threads take half as much time again of all cores, which other tests share.
    await execute(join(root, 'node_modules/.bin/tsc'), ['-p', folder, '--singleThreaded']);
    return '';
  } catch (error) {
    const { stdout, message } = error as { stdout?: string; message: string };
    return stdout || message;
  }
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
    timeout: 100_000,
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

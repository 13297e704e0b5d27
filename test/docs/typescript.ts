import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterwards } from '../support/afterwards.ts';
import { compileCache } from '../support/compile-cache.ts';
import { programFile } from '../support/program.ts';
import { type Block, root } from './markdown.ts';

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
    'detent/machines': [join(root, 'machines/run.machine.ts')],
  };
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions: { paths }, include: ['*.ts'] }),
  );
  // What the command line does for configuration files, for every module.
  await writeFile(
    join(folder, 'hooks.mjs'),
    `import { hookModules } from '${pathToFileURL(programFile('src/cli/settings/module-hooks'))}';\nhookModules();\n`,
  );
  const files = new Map<string, string>();
  for (const { place, text } of blocks) {
    const name = `${place.replaceAll(/[^A-Za-z0-9]/g, '-')}.ts`;
    files.set(place, name);
    // Without an import or export a file would be a script, and share its names with all others.
    await writeFile(join(folder, name), `${text}\nexport {};\n`);
  }
  return { files, folder };
}

/** What the compiler says of a project; nothing when all is well. */
export async function typeErrors({ folder }: Project): Promise<string> {
  try {
    await execute(join(root, 'node_modules/.bin/tsc'), ['-p', folder]);
    return '';
  } catch (error) {
    const { stdout, message } = error as { stdout?: string; message: string };
    return stdout || message;
  }
}

/** Runs a file of a project in an empty folder. @throws when it ends with a code that is not 0. */
export async function runFile({ folder }: Project, file: string): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), 'detent-docs-'));
  afterwards(() => rm(cwd, { recursive: true, force: true, maxRetries: 5 }));
  const args = ['--import', pathToFileURL(join(folder, 'hooks.mjs')).href, join(folder, file)];
  const { stdout } = await execute(process.execPath, args, {
    cwd,
    env: { ...compileCache, PATH: process.env.PATH ?? '' },
  });
  return stdout;
}

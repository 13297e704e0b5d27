import { createHash } from 'node:crypto';
import { existsSync, globSync, statSync } from 'node:fs';
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  utimes,
} from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { bundle, ownModules } from '../../scripts/build/bundle.ts';
import { compileCache } from './compile-cache.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the package that the tests start. */
    program: string;
  }
}

const root = resolve(import.meta.dirname, '../..');
const cache = join(root, 'node_modules/.cache/detent-tests');

/** Modules that processes of tests start with, or import; the build keeps them as files of their own. */
const testModules = [
  'src/cli/settings/module-hooks',
  'src/tools/math/convert-unit',
  'src/tools/math/evaluate',
  'test/agent/usage/children/spender',
  'test/client/chaos-main',
  'test/clients/java/chaos-main',
  'test/cluster/children/driver',
  'test/cluster/children/order-worker',
  'test/crash/harness/child',
  'test/crash/many-main',
  'test/crash/mcp-server-main',
  'test/crash/notices/child',
  'test/gateway/killed/child',
  'test/memory/children/conversation-searcher',
  'test/memory/children/indexer',
  'test/memory/children/rebuilder',
  'test/memory/children/writer',
  'test/runs/children/hanging',
  'test/runs/takeover/child',
  'test/runs/users/children/goer',
  'test/runtime/children/full-disk',
  'test/runtime/versions-child',
  'test/runtime/child-stray',
  'test/store/copy/children/copy',
  'test/store/copy/children/shop',
  'test/store/sql/children/drive',
  'test/store/sql/children/fill',
  'test/store/sql/children/lock',
  'test/tools/mcp/odd-server',
];

/** What the bundle is made of. */
const sources = [
  '{src,machines,examples/workflows}/**/*.ts',
  'test/**/*.ts',
  'scripts/build/*.ts',
  'package{,-lock}.json',
];

/**
 * Makes the package that tests start processes of: bundled, as it is published, because a start from source takes half as
 * long again. One is used until a source changes.
 */
export default async function bundleProgram(project: TestProject): Promise<() => Promise<void>> {
  const data = join(root, '.detent');
  const isOfUser = existsSync(data);
  // Workers of Vitest are started after this.
  Object.assign(process.env, compileCache);
  const folder = join(cache, stampOfSources());
  if (existsSync(folder)) await utimes(folder, new Date(), new Date());
  else await makePackage(folder);
  await removeUnused();
  project.provide('program', folder);
  return async () => {
    // Tests in this process may index the folder that it runs in. No Detent of its user made that: "npm start" would not trust it.
    if (!isOfUser) await rm(data, { recursive: true, force: true });
  };
}

function stampOfSources(): string {
  const hash = createHash('sha256');
  for (const file of globSync(sources, { cwd: root, exclude: ['**/*.test.ts', 'test/fixtures/**'] }).sort()) {
    const { mtimeMs, size } = statSync(join(root, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

/** Another run may make the same one at this moment: the first that is whole stays. */
async function makePackage(folder: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, 'draft-'));
  // Some tests start it as another user.
  await chmod(draft, 0o755);
  await bundle([...ownModules, ...testModules], join(draft, 'dist'));
  await copyFile(join(root, 'package.json'), join(draft, 'package.json'));
  await symlink(relative(draft, join(root, 'skills')), join(draft, 'skills'));
  await rename(draft, folder).catch(async (error: NodeJS.ErrnoException) => {
    await rm(draft, { recursive: true });
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
}

const keptMs = 24 * 3_600_000;

/** Those that no run of the last day has used: an older one may still be in use. */
async function removeUnused(): Promise<void> {
  for (const name of await readdir(cache)) {
    const folder = join(cache, name);
    const found = await stat(folder).catch(() => null);
    if (found && Date.now() - found.mtimeMs > keptMs) await rm(folder, { recursive: true, force: true });
  }
}

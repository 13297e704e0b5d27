import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { RolldownOutput } from 'rolldown';
import { noticesOf } from './notices.ts';

const root = resolve(import.meta.dirname, '../..');
const web = join(root, 'web');

const pageFolder = join(web, 'dist');

/** What the page was built from. */
interface Stamp {
  /** Sources outside of `web/`, from the root of the repository. */
  others: string[];
  /** Of the content of all sources. */
  digest: string;
}

const stampFile = '.built';
const isText = /\.(?:js|css|svg|json|txt|webmanifest)$/;

/**
 * Builds the web page into `web/dist`, unless it was built from its sources as they are. The folder always has a whole page: a
 * new one takes its place when it is done.
 *
 * @param begins is called before a build, which takes some seconds.
 */
export async function buildPage(begins: () => void = () => {}): Promise<void> {
  if (isBuilt()) return;
  begins();
  const folder = await mkdtemp(join(root, 'node_modules/.detent-page-'));
  // As of any folder: the package is for all users of a machine.
  await chmod(folder, 0o755);
  try {
    await writePage(folder);
    await putInPlace(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Puts the page into the folder of the published package, where the gateway looks for it. */
export async function copyPage(dist: string): Promise<void> {
  await buildPage();
  await cp(pageFolder, join(dist, 'web'), {
    recursive: true,
    filter: (file) => basename(file) !== stampFile,
  });
}

function isBuilt(): boolean {
  try {
    const stamp = JSON.parse(readFileSync(join(pageFolder, stampFile), 'utf8')) as Stamp;
    return stamp.digest === digestOf(stamp.others);
  } catch {
    return false;
  }
}

/** Of the sources in `web/`, of the dependencies, of how it is built, and of `others`. */
function digestOf(others: readonly string[]): string {
  const own = globSync('**/*', { cwd: web, withFileTypes: true, exclude: ['dist'] })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
  const hash = createHash('sha256');
  for (const file of ['package-lock.json', 'scripts/build/page.ts', ...own.sort(), ...others])
    hash
      .update(`${file.split(sep).join('/')}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex');
}

async function writePage(folder: string): Promise<void> {
  const built = await forProduction(async () => {
    // Loaded here: most starts have nothing to build.
    const { build } = await import('vite');
    return build({
      configFile: join(web, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: folder, emptyOutDir: true, rolldownOptions: { checks: { pluginTimings: false } } },
    });
  });
  const outputs = [built].flat() as RolldownOutput[];
  const modules = outputs.flatMap(({ output }) =>
    output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : [])),
  );
  const fonts = globSync('fonts/*.txt', { cwd: web }).sort();
  const licences = await Promise.all(fonts.map((file) => readFile(join(web, file), 'utf8')));
  await writeFile(
    join(folder, 'THIRD-PARTY-NOTICES.txt'),
    [await noticesOf(modules), ...licences].join('\n'),
  );
  await compressAll(folder);
  const others = modules
    .map((id) => relative(root, id.split('?', 1)[0] ?? ''))
    .filter((file) => /^(?:src|machines|docs)[\\/]/.test(file));
  const stamp: Stamp = { others: [...new Set(others)].sort(), digest: '' };
  stamp.digest = digestOf(stamp.others);
  await writeFile(join(folder, stampFile), JSON.stringify(stamp));
}

/** Under another `NODE_ENV`, such as that of tests, Vite writes the path and line of each element in the sources into the page. */
async function forProduction<T>(work: () => Promise<T>): Promise<T> {
  const { NODE_ENV: given } = process.env;
  process.env.NODE_ENV = 'production';
  try {
    return await work();
  } finally {
    if (given === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = given;
  }
}

/** Puts compressed copies beside the files; the gateway compresses the page itself, which it changes. */
async function compressAll(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && isText.test(entry.name));
  const best = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const file = join(parentPath, name);
      const bytes = await readFile(file);
      const copies = [
        [`${file}.br`, await promisify(brotliCompress)(bytes, best)],
        [`${file}.gz`, await promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION })],
      ] as const;
      for (const [copy, small] of copies) if (small.length < bytes.length) await writeFile(copy, small);
    }),
  );
}

/** Another process may have built the same page meanwhile. */
async function putInPlace(folder: string): Promise<void> {
  const old = `${folder}-old`;
  try {
    if (existsSync(pageFolder)) await rename(pageFolder, old);
    await rename(folder, pageFolder);
  } catch (error) {
    if (!isBuilt()) throw error;
  } finally {
    await rm(old, { recursive: true, force: true });
  }
}

import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Manifest {
  name?: string;
  version?: string;
  license?: string;
}

/**
 * The licences of the packages that some files are from, for the reader of a bundle that has their code.
 *
 * @param files absolute paths
 */
export async function noticesOf(files: readonly string[]): Promise<string> {
  const folders = new Set(files.filter((file) => file.includes('node_modules')).map(packageFolder));
  const notices = await Promise.all([...folders].map(noticeOf));
  const head = 'Detent contains code of these packages, under their own licences.\n';
  return [head, ...notices.sort()].join(`\n${'-'.repeat(80)}\n\n`);
}

/** The nearest folder above with a package.json that has a name and a version. */
function packageFolder(file: string): string {
  // What the bundler adds has a zero byte in its name.
  const [, folder = ''] =
    /^(.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file.replaceAll('\0', '')) ?? [];
  if (!existsSync(join(folder, 'package.json'))) throw new Error(`${file} belongs to no package`);
  return folder;
}

async function noticeOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  ) as Manifest;
  const files = (await readdir(folder)).filter((found) => /^(licen[cs]e|notice)/i.test(found));
  if (files.length === 0)
    throw new Error(`${folder} has no file with its licence: leave ${name} a dependency`);
  const texts = await Promise.all(files.sort().map((file) => readFile(join(folder, file), 'utf8')));
  return `${name} ${version} (${license})\n\n${texts.map((text) => text.trim()).join('\n\n')}\n`;
}

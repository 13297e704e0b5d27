import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BuiltPackage } from '../support/built-package.ts';
import { measureInChild } from '../support/child.ts';
import { median, rounded } from '../support/numbers.ts';
import type { Work } from './work.ts';

/** How far a fresh process goes: the import alone, a query on a database that exists, a first model call. */
export const importDepths = ['import', 'open', 'answer'] as const;
export type ImportDepth = (typeof importDepths)[number];

export interface ImportResult {
  ms: number;
  rssMb: number;
}

/** Imports the package built here, in `processes` fresh processes for each depth. */
export async function measureImports(
  work: Work,
  { home }: BuiltPackage,
  processes: number,
): Promise<Record<ImportDepth, ImportResult>> {
  const script = pathToFileURL(join(home, 'import-child.mjs'));
  await cp(new URL('./import-child.mjs', import.meta.url), script);
  // With `mock-0` the first answer is the last.
  const task = { file: join(work.folder, 'import.db'), url: work.url, model: 'mock/mock-0' };
  const measure = async (upTo: ImportDepth): Promise<ImportResult> => {
    const results: ImportResult[] = [];
    for (let i = 0; i < processes; i++)
      results.push(await measureInChild(script, { ...task, upTo }, ['--expose-gc']));
    return {
      ms: rounded(median(results.map((one) => one.ms)), 1),
      rssMb: rounded(median(results.map((one) => one.rssMb)), 1),
    };
  };
  // Makes the database, and warms the disk's cache.
  await measureInChild(script, { ...task, upTo: 'answer' }, ['--expose-gc']);
  return { import: await measure('import'), open: await measure('open'), answer: await measure('answer') };
}

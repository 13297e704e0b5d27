import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Tree } from '../../src/memory/index/files.ts';
import { IndexService } from '../../src/memory/index/service.ts';
import { linesOf } from '../../src/memory/markdown/blocks.ts';
import type { MemoryHit } from '../../src/protocol/ports/memory-source.ts';
import { temporaryWorkspace } from '../support/detent.ts';
import { type Files, writeFiles } from '../support/files.ts';

export async function workspaceWith(files: Files): Promise<string> {
  const folder = await temporaryWorkspace();
  await writeFiles(folder, files);
  return folder;
}

/** An index of a folder, in this thread; closed after the test. */
export function indexOf(root: string, over: { tree?: Tree; isWatching?: boolean } = {}): IndexService {
  const { tree = 'memory', isWatching = false } = over;
  const service = new IndexService({ root, tree, file: join(root, '.detent', 'memory.db'), isWatching });
  onTestFinished(() => service.close());
  return service;
}

export const patient = Number.POSITIVE_INFINITY;

export function ask(service: IndexService, ...queries: string[]) {
  return service.search({ queries, limit: 10, waitMs: patient });
}

export async function pathsFor(service: IndexService, query: string): Promise<string[]> {
  return (await ask(service, query)).results.map(({ path }) => path);
}

/** Whether the lines that a hit names have its snippet. */
export async function holdsSnippet(folder: string, hit: MemoryHit): Promise<boolean> {
  const lines = linesOf(await readFile(join(folder, hit.path), 'utf8'));
  return lines
    .slice(hit.startLine - 1, hit.endLine)
    .join('\n')
    .includes(hit.snippet);
}

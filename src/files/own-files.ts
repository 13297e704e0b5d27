import { existsSync } from 'node:fs';

/** Whether Detent runs from its source. The published package has JavaScript, in files that the build arranges. */
export const isSource: boolean = import.meta.url.endsWith('.ts');

/**
 * The URL of one of the package's own files, wherever the build has put the caller's code.
 *
 * @param path from the package's root: `skills/`, `package.json`.
 */
export function ownFile(path: string): URL {
  let folder = new URL('.', import.meta.url);
  for (let parent = new URL('..', folder); !existsSync(new URL('package.json', folder)); ) {
    if (parent.href === folder.href) break;
    [folder, parent] = [parent, new URL('..', parent)];
  }
  return new URL(path, folder);
}

/** The URL of a module that the build keeps as a file of its own: `src/index`, `src/cli/main`. */
export function ownModule(path: string): string {
  return ownFile(isSource ? `${path}.ts` : `dist/${path}.js`).href;
}

import { existsSync, readFileSync } from 'node:fs';

/** The version of the package, from source or from `dist`. */
export function version(): string {
  const file = ['../../package.json', '../../../package.json']
    .map((path) => new URL(path, import.meta.url))
    .find((url) => existsSync(url));
  return file ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version : 'unknown';
}

import { existsSync, readFileSync } from 'node:fs';
import { ownFile } from '../../text/files.ts';

/** The version of the package; `unknown` where a program has bundled Detent without its `package.json`. */
export function version(): string {
  const file = ownFile('package.json');
  return existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
    : 'unknown';
}

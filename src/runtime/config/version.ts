import { ownManifest } from '../../text/files.ts';

/** The version of the package; `unknown` where a program has bundled Detent without its `package.json`. */
export function version(): string {
  return ownManifest()?.version ?? 'unknown';
}

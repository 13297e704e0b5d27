/** Makes `dist/`, as it is published: the JavaScript bundled, the types by `tsc`, the web page built. */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { bundle, ownModules } from './build/bundle.ts';
import { copyPage } from './build/page.ts';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');
rmSync(dist, { recursive: true, force: true });
await bundle(ownModules, dist);
await copyPage(dist);
const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;

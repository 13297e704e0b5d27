/** Makes `dist/`, as it is published: the JavaScript bundled, the types by `tsc`, the web page built. */
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundle, ownModules } from './build/bundle.ts';
import { copyPage } from './build/page.ts';
import { writeTypes } from './build/types.ts';

const dist = join(resolve(import.meta.dirname, '..'), 'dist');
rmSync(dist, { recursive: true, force: true });
await bundle(ownModules, dist);
await copyPage(dist);
writeTypes(ownModules, dist);

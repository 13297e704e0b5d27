/**
 * Counts how the sources hang together, and fails on a circle of files or on an import against the directions.
 *
 *     node scripts/house.ts            # this project
 *     node scripts/house.ts DIR        # another checkout of it
 *     node scripts/house.ts --small    # names the small files with a single importer, too
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { figures, violations } from './house/check-tree.ts';
import { readTree } from './house/read-tree.ts';

const { positionals, values } = parseArgs({
  options: { small: { type: 'boolean' } },
  allowPositionals: true,
});
const tree = readTree(resolve(import.meta.dirname, '..', positionals[0] ?? '.'));
const { circles, againstInside, smallSingleImporter, ...counts } = figures(tree);
const against = violations(tree);

for (const [name, count] of Object.entries(counts)) console.log(name.padEnd(24), count);
console.log('smallSingleImporter'.padEnd(24), smallSingleImporter.length);
console.log('circles'.padEnd(24), circles.length);
const inRooms = Object.entries(againstInside).map(([room, count]) => `${room} ${count}`);
console.log('against the direction'.padEnd(24), against.length, `(${inRooms.join(', ')})`);

if (values.small) for (const path of smallSingleImporter) console.log(`  ${path}`);
for (const names of circles) console.error(`a circle: ${names.join(' -> ')}`);
for (const { file, imports, reason } of against) console.error(`${file} imports ${imports}: ${reason}`);
if (circles.length > 0 || against.length > 0) process.exitCode = 1;

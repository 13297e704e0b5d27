/**
 * Counts how the sources hang together and what each room weighs. Fails on a circle of files, on an import against the
 * directions, and on a figure that differs from `scripts/house/budget.json`.
 *
 *     node scripts/house.ts            # this project
 *     node scripts/house.ts DIR        # another checkout of it
 *     node scripts/house.ts --small    # names the small files with a single importer, too
 *     node scripts/house.ts --rooms    # the weight of each room
 *     node scripts/house.ts --lower    # lowers the budget to what the rooms weigh now
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Budget, emptyRaises, lowered, overruns } from './house/budget.ts';
import { figures, violations } from './house/check-tree.ts';
import { figureNames, masses } from './house/mass.ts';
import { readTree } from './house/read-tree.ts';

/** Rooms that are not in `src`. */
const outsideSrc = new Set(['machines', 'web', 'test']);

const { positionals, values } = parseArgs({
  options: { small: { type: 'boolean' }, rooms: { type: 'boolean' }, lower: { type: 'boolean' } },
  allowPositionals: true,
});
const root = resolve(import.meta.dirname, '..', positionals[0] ?? '.');
const tree = readTree(root);
const { circles, againstInside, smallSingleImporter, ...counts } = figures(tree);
const against = violations(tree);
const weighed = masses(root, tree);
const budgetFile = join(root, 'scripts/house/budget.json');
let budget = JSON.parse(readFileSync(budgetFile, 'utf8')) as Budget;
if (values.lower) {
  budget = lowered(weighed, budget);
  writeFileSync(budgetFile, `${JSON.stringify(budget, null, 2)}\n`);
}

for (const [name, count] of Object.entries(counts)) console.log(name.padEnd(24), count);
console.log('smallSingleImporter'.padEnd(24), smallSingleImporter.length);
console.log('circles'.padEnd(24), circles.length);
const inRooms = Object.entries(againstInside).map(([room, count]) => `${room} ${count}`);
console.log('against the direction'.padEnd(24), against.length, `(${inRooms.join(', ')})`);
for (const name of figureNames) {
  const ofSrc = [...weighed].filter(([room]) => !outsideSrc.has(room)).map(([, mass]) => mass[name]);
  console.log(
    `${name} of src`.padEnd(24),
    ofSrc.reduce((sum, count) => sum + count, 0),
  );
}
if (values.rooms) console.table(Object.fromEntries(weighed));
if (values.small) for (const path of smallSingleImporter) console.log(`  ${path}`);

for (const names of circles) console.error(`a circle: ${names.join(' -> ')}`);
for (const { file, imports, reason } of against) console.error(`${file} imports ${imports}: ${reason}`);
const differing = overruns(weighed, budget);
for (const { room, figure, is, may } of differing)
  console.error(
    is > may
      ? `${room}: ${figure} grew from ${may} to ${is}: take as much away, or give the reason in "raised" of scripts/house/budget.json`
      : `${room}: ${figure} shrank from ${may} to ${is}: run "node scripts/house.ts --lower"`,
  );
const empty = emptyRaises(budget);
for (const { room, figure } of empty)
  console.error(`scripts/house/budget.json raises ${figure} of ${room} without a number or a reason`);
if (circles.length + against.length + differing.length + empty.length > 0) process.exitCode = 1;

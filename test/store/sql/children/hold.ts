/** Another process with the same database: `hold.ts <file>` begins to write, and commits when its input ends. */

import { once } from 'node:events';
import Sqlite from 'better-sqlite3';

const [file = ''] = process.argv.slice(2);
const db = new Sqlite(file);
db.exec('BEGIN IMMEDIATE');
db.exec('UPDATE runs SET faults = faults + 100');
process.stdout.write('holding');
process.stdin.resume();
await once(process.stdin, 'end');
db.exec('COMMIT');
db.close();

/** Another process that copies: `copy.ts <from> <to> <rows at once>` says the name of each table that it has copied. */

import { copyDatabase } from '../../../../src/store/copy/copy.ts';
import { slice } from '../../../../src/store/copy/rows.ts';

const [from = '', to = '', rows = '3'] = process.argv.slice(2);
slice.rows = Number(rows);
await copyDatabase(from, to, { onTable: (table) => process.stdout.write(`${table}\n`) });

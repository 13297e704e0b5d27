import { createRequire } from 'node:module';
import { DetentError } from '../../protocol/error.ts';
import { holdDatabase, openAs } from '../../text/files.ts';

/**
 * Adds a database to those that this process has open, before it is opened: no other code of Detent reads its files then,
 * and no second copy of SQLite opens it.
 *
 * @param file absolute path; `:memory:` is no file
 * @throws DetentError `DATABASE_SECOND_COPY` when another copy of the package has it open in this process: neither would
 * see the other's locks.
 */
export function holdInProcess(file: string): { note(): void; close(): void } {
  if (file === ':memory:') return { note() {}, close() {} };
  const library = createRequire(import.meta.url).resolve('better-sqlite3');
  const other = openAs(file).find((held) => held.library !== library);
  if (other) throw secondCopy(file, [other.library, library]);
  return holdDatabase(file, library);
}

function secondCopy(file: string, libraries: readonly string[]): DetentError {
  return new DetentError(
    'DATABASE_SECOND_COPY',
    `database ${file} is open in this process through another copy of Detent; two copies of SQLite in one process damage a database. Install Detent once ("npm ls detent better-sqlite3" shows the copies, "npm dedupe" joins them), pass one Detent around, or use another process: ${libraries.join(' and ')}`,
    { details: { file, libraries } },
  );
}

import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import Sqlite from 'better-sqlite3';
import { DetentError } from '../../protocol/error.ts';
import { holdDatabase, openAs } from '../../text/files.ts';
import { databaseError } from './errors.ts';
import { blockUntilFree } from './naps.ts';

/** Where a database is, and where it was. */
interface DatabasePlace {
  /** Its real path. */
  here: string;
  /** The real path that it had when this driver was registered. */
  of(epoch: number): string;
}

interface PlaceRow {
  path: string;
  firstEpoch: number;
}

/**
 * Notes where a database is. If it is not where it was, it was moved or copied: what people allowed for sessions there does
 * not count here, so the grants are revoked. The drivers that are registered from now on belong to the new place.
 *
 * Call it before this process registers its driver.
 *
 * @param isAdopted all earlier drivers count as drivers of this place, and grants stay.
 * @throws DetentError as the store does
 */
export function notePlace(file: string, isAdopted: boolean): DatabasePlace {
  const here = realpathSync.native(file);
  const db = new Sqlite(file);
  try {
    db.pragma('busy_timeout = 0');
    // The store does that.
    db.pragma('wal_autocheckpoint = 0');
    const note = db.transaction(() => noted(db, here, isAdopted));
    return databasePlace(
      here,
      blockUntilFree(() => note.immediate()),
    );
  } catch (error) {
    throw databaseError(error, file);
  } finally {
    db.close();
  }
}

/** Where a database is, and where it was, read without noting anything. @throws DetentError as the store does. */
export function placeOf(file: string): DatabasePlace {
  const db = new Sqlite(file, { readonly: true });
  try {
    return databasePlace(realpathSync.native(file), placesIn(db));
  } catch (error) {
    throw databaseError(error, file);
  } finally {
    db.close();
  }
}

function databasePlace(here: string, places: readonly PlaceRow[]): DatabasePlace {
  return { here, of: (epoch) => places.findLast(({ firstEpoch }) => firstEpoch <= epoch)?.path ?? here };
}

function placesIn(db: Sqlite.Database): PlaceRow[] {
  return db.prepare('select path, first_epoch as firstEpoch from places order by n').all() as PlaceRow[];
}

function noted(db: Sqlite.Database, here: string, isAdopted: boolean): PlaceRow[] {
  const places = placesIn(db);
  const last = places.at(-1);
  if (isAdopted) db.prepare('update places set path = ?').run(here);
  else if (last && last.path !== here)
    db.prepare('update grants set revoked_at = ? where revoked_at is null').run(Date.now());
  if (!last || (last.path !== here && !isAdopted))
    db.prepare('insert into places (path, first_epoch) values (?, ?)').run(
      here,
      last ? newestEpoch(db) + 1 : 0,
    );
  return placesIn(db);
}

function newestEpoch(db: Sqlite.Database): number {
  return db.prepare('select coalesce(max(epoch), 0) from drivers').pluck().get() as number;
}

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

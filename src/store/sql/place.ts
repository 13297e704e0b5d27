import { realpathSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
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

/** Where a database is, and where it was, read without noting anything: of an open database, whose tables exist. */
export function readPlace(db: Sqlite.Database, file: string): DatabasePlace {
  return databasePlace(realpathSync.native(file), placesIn(db));
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

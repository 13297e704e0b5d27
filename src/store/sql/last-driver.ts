import Sqlite from 'better-sqlite3';

/** The process that last took the right to write to a database; undefined when nobody has, or it cannot be read. */
export function lastDriverPid(file: string): number | undefined {
  let db: Sqlite.Database | undefined;
  try {
    db = new Sqlite(file, { readonly: true, fileMustExist: true });
    return db.prepare('select pid from drivers order by epoch desc limit 1').pluck().get() as
      | number
      | undefined;
  } catch {
    // It only makes a message better.
    return undefined;
  } finally {
    db?.close();
  }
}

/**
 * Whether a migration only adds what programs without it need not know: tables, and columns that are null or have a default. Its name
 * says so, which stands in the database: so an older program reads it there, too. Such a program goes on beside a newer one.
 */
export function isAdditive(name: string): boolean {
  return name.endsWith('_additive');
}

/** Of the migrations that a database has, those that this program must know and does not; and those that the database lacks. */
export function compareMigrations(
  known: readonly string[],
  done: readonly string[],
): { newer: string[]; missing: string[] } {
  return {
    newer: done.filter((name) => !known.includes(name) && !isAdditive(name)),
    missing: known.filter((name) => !done.includes(name)),
  };
}

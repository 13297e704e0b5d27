/**
 * The path of a text in a value of JSON, field names included, that holds half of a surrogate pair; null without one. SQLite
 * stores every half as U+FFFD, so that two such names would be one.
 */
export function illFormed(value: unknown, isFree: (field: string) => boolean, path = ''): string | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : path;
  if (typeof value !== 'object' || value === null) return null;
  for (const [field, one] of Object.entries(value)) {
    const place = path === '' ? field : `${path}.${field}`;
    const found = field.isWellFormed() ? (isFree(field) ? null : illFormed(one, isFree, place)) : place;
    if (found !== null) return found.toWellFormed();
  }
  return null;
}

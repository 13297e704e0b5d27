/** A time in ISO 8601; for a number that is no time, question marks of the same form. Never throws. */
export function isoTime(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? '????-??-??T??:??:??.???Z' : date.toISOString();
}

/** Text as one shell word, quoted when necessary. */
export function shellWord(text: string): string {
  return /^[\w.:@-]+$/.test(text) ? text : quoted(text);
}

/** Text in single quotes, for POSIX shells and fish. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** As {@link quoted}, for fish, where the backslash is special inside single quotes. */
export function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

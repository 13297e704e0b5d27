const everyMs = 60_000;
/** Different lines a minute. */
const maxLines = 50;

/**
 * For lines that come again and again: whether one is new in this minute. At most 50 are, so that lines that differ each time do not
 * fill a log, either.
 *
 * @param now milliseconds that only grow
 */
export function onceAMinute(now: () => number = () => performance.now()): (line: string) => boolean {
  const told = new Set<string>();
  let since = now();
  return (line) => {
    if (now() - since >= everyMs) {
      told.clear();
      since = now();
    }
    if (told.has(line) || told.size >= maxLines) return false;
    told.add(line);
    return true;
  };
}

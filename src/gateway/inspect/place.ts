/** What a WebSocket asks for under `/inspect`. */
export type InspectPlace = { use: 'follow'; runId: string | null } | { use: 'send' };

/**
 * The place that a URL names: `/inspect` all runs, `/inspect/RUN` one, `/inspect/in` for actors that send. Null for all others.
 *
 * @param path without the query.
 */
export function inspectPlace(prefix: string, path: string): InspectPlace | null {
  const root = `${prefix}/inspect`;
  if (path === root || path === `${root}/`) return { use: 'follow', runId: null };
  if (!path.startsWith(`${root}/`)) return null;
  const name = path.slice(root.length + 1);
  if (name === 'in') return { use: 'send' };
  try {
    const runId = decodeURIComponent(name);
    return /^[^/\p{Cc}\p{Cs}]{1,200}$/u.test(runId) ? { use: 'follow', runId } : null;
  } catch {
    return null;
  }
}

/** The path of a place. */
export function pathOf(prefix: string, place: InspectPlace): string {
  if (place.use === 'send') return `${prefix}/inspect/in`;
  return place.runId === null ? `${prefix}/inspect` : `${prefix}/inspect/${encodeURIComponent(place.runId)}`;
}

import { signal } from '@preact/signals';

/** Where the page is: `/runs/run_1?seq=9`. Every page has a URL that restores it. */
interface Place {
  /** Without the prefix of the gateway, and without a slash at its end. */
  path: string;
  query: URLSearchParams;
}

/** The path that the gateway is mounted under, as it wrote it into the page; empty at the root. */
export const prefix: string =
  globalThis.document?.querySelector<HTMLMetaElement>('meta[name="detent-prefix"]')?.content ?? '';

export const place = signal<Place>(read());

function read(): Place {
  const { pathname = '/', search = '' } = globalThis.location ?? {};
  const path = pathname.startsWith(prefix) ? pathname.slice(prefix.length) : pathname;
  return { path: path.replace(/\/+$/, '') || '/', query: new URLSearchParams(search) };
}

/** The URL of a page, for `<a href>`. */
export function href(path: string): string {
  return `${prefix}${path}`;
}

/** Where a run is inspected. */
export const runPath = (runId: string) => `/runs/${encodeURIComponent(runId)}`;

/** The conversation of a session. */
export const chatPath = (sessionId: string) => `/chat/${encodeURIComponent(sessionId)}`;

/** An actor of a program of the user. */
export const actorPath = (actorId: string) => `/actors/${encodeURIComponent(actorId)}`;

/** Opens a page. `replace`: the back button skips the present one. */
export function go(path: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', href(path));
  else history.pushState(null, '', href(path));
  place.value = read();
}

/** Changes values of the query, without an entry in the history: a slider must not fill it. */
export function setQuery(values: Readonly<Record<string, string | number | null>>): void {
  const query = new URLSearchParams(place.value.query);
  for (const [name, value] of Object.entries(values))
    if (value === null || value === '') query.delete(name);
    else query.set(name, String(value));
  const text = query.toString();
  go(place.value.path + (text && `?${text}`), { replace: true });
}

/** The parts of the path: `['runs', 'run_1']`. */
export function segments({ path }: Place): string[] {
  return path.split('/').filter(Boolean).map(decoded);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Makes links of the page open without loading it again. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    place.value = read();
  });
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest?.('a[href]');
    if (!(link instanceof HTMLAnchorElement) || link.target || link.download) return;
    const url = new URL(link.href);
    if (url.origin !== location.origin || !url.pathname.startsWith(`${prefix}/`)) return;
    if (url.pathname === location.pathname && url.search === location.search && url.hash) return;
    event.preventDefault();
    go(url.pathname.slice(prefix.length) + url.search);
  });
}

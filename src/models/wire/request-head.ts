/**
 * URL and headers of a request to a path below the base URL, as the SDKs of OpenAI and Anthropic make them: a query of
 * the base URL stays, and a header of a later layer replaces the same one of an earlier, however it is written. A test
 * holds both equal to the SDKs.
 */
export function requestHead(
  baseURL: string,
  path: string,
  layers: readonly Readonly<Record<string, string>>[],
): { url: string; headers: Record<string, string> } {
  const base = new URL(baseURL);
  const { search } = base;
  base.search = '';
  base.hash = '';
  const url = new URL(`${base.href.replace(/\/$/, '')}${path}${search}`);
  const headers = new Map<string, string>();
  // A key from a file often ends with a line break.
  for (const layer of layers)
    for (const [name, value] of Object.entries(layer))
      headers.set(name.toLowerCase(), value.replaceAll(/^[\t\n\r ]+|[\t\n\r ]+$/g, ''));
  return { url: url.href, headers: Object.fromEntries([...headers].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

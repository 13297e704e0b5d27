/** Response headers as Node gives them: lower-case names, repeated ones as lists. */
export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * How long the server asks us to wait, in milliseconds, never negative; undefined when it does not say.
 *
 * Reads `retry-after-ms` (OpenAI, Azure) before `retry-after` in seconds or as an HTTP date (RFC 9110 §10.2.3).
 *
 * @param nowMs the moment the answer came, epoch milliseconds
 */
export function retryAfterMs(headers: HttpHeaders, nowMs: number): number | undefined {
  const exact = asNumber(headers['retry-after-ms']);
  if (exact !== undefined) return Math.max(0, Math.round(exact));
  const seconds = asNumber(headers['retry-after']);
  if (seconds !== undefined) return Math.max(0, Math.round(seconds * 1000));
  const date = Date.parse(single(headers['retry-after']));
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

function asNumber(value: string | string[] | undefined): number | undefined {
  const text = single(value).trim();
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

export function single(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

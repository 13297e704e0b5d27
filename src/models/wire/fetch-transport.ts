import { Patience } from './patience.ts';
import type { HttpRequest, HttpResponse } from './transport.ts';

/** A `fetch` of the program, in place of our own transport: that of a service mesh, of a test, or one that signs requests. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Sends one HTTP request by a `fetch` of the program, which sees to connections and proxies. Follows no redirect and does not retry.
 *
 * @throws CallFailure of kind `aborted`, `timeout` or `network`
 */
export async function sendBy(fetch: Fetch, request: HttpRequest): Promise<HttpResponse> {
  const url = new URL(request.url);
  const patience = new Patience(url.origin, request);
  const { method, headers, body, signal } = request;
  try {
    const init: RequestInit = { method, headers, body, signal, redirect: 'manual' };
    const response = await patience.wait(fetch(url.href, init));
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: { read: (onChunk) => readBody(response, patience, onChunk) },
    };
  } catch (thrown) {
    throw patience.failureOf(thrown);
  }
}

async function readBody(
  { body }: Response,
  patience: Patience,
  onChunk: (chunk: Uint8Array) => boolean,
): Promise<void> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await patience.wait(reader.read()).catch((thrown: unknown) => {
        throw patience.failureOf(thrown);
      });
      if (done) return;
      patience.begun();
      if (onChunk(value)) return;
    }
  } finally {
    // Not awaited: a body of the program may never say that it is closed.
    reader.cancel().catch(() => {});
  }
}

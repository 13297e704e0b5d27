/** Maximum bytes of one message of a server; the same as over stdio. */
const maxMessageBytes = 16 * 1024 * 1024;

/** `fetch` for the transports of the client package, which would read a response of any size into memory. */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const { body, status, statusText, headers } = response;
  if (!body) return response;
  const isStream = headers.get('content-type')?.includes('text/event-stream') ?? false;
  const bounded = new Response(body.pipeThrough(boundary(isStream)), { status, statusText, headers });
  // A constructed Response has no `url`, and the client package needs it to detect redirects.
  Object.defineProperty(bounded, 'url', { value: response.url });
  return bounded;
}

/** Counts bytes; in an event stream it counts each event separately. */
function boundary(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const end = isStream ? endOfEvent(chunk) : -1;
      bytes = end < 0 ? bytes + chunk.length : chunk.length - end;
      if (bytes > maxMessageBytes)
        controller.error(new Error(`the server sent a message of more than ${maxMessageBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
}

/** The index behind the last empty line, which ends an event. */
function endOfEvent(chunk: Uint8Array): number {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\n\r\n'));
}

/** One message of a server has at most so many bytes; as on stdin and stdout. */
const maxMessageBytes = 16 * 1024 * 1024;

/** `fetch` for the transports of the client package, which would take an answer of any size into memory. */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const { body, status, statusText, headers } = response;
  if (!body) return response;
  const isStream = headers.get('content-type')?.includes('text/event-stream') ?? false;
  const bounded = new Response(body.pipeThrough(boundary(isStream)), { status, statusText, headers });
  // A made one has none, and redirects are judged by it.
  Object.defineProperty(bounded, 'url', { value: response.url });
  return bounded;
}

/** In a stream of events the count begins anew with each event. */
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

/** Behind the last line end that another follows: events end with an empty line. */
function endOfEvent(chunk: Uint8Array): number {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\n\r\n'));
}

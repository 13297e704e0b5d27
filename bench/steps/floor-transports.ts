/** Posts a body and hands over the answer's bytes as they come. */
type Post = (body: string, onChunk: (bytes: Uint8Array) => void) => Promise<void>;

/** `transport` is Detent's own, over `node:http`; `fetch` is Node's. */
export type TransportName = 'transport' | 'fetch';

export async function connect(name: TransportName, url: string): Promise<Post> {
  return connectors[name](url);
}

const headers = { 'content-type': 'application/json', authorization: 'Bearer x' };

const connectors: Readonly<Record<TransportName, (url: string) => Promise<Post>>> = {
  async transport(url) {
    const { send } = await import('../../src/models/wire/transport.ts');
    const never = new AbortController().signal;
    const limits = { firstByteTimeoutMs: 120_000, idleTimeoutMs: 120_000 };
    return async (body, onChunk) => {
      const response = await send({ method: 'POST', url, headers, body, signal: never, ...limits });
      await response.body.read((chunk) => {
        onChunk(chunk);
        return false;
      });
    };
  },
  async fetch(url) {
    return async (body, onChunk) => {
      const response = await fetch(url, { method: 'POST', headers, body });
      for await (const chunk of response.body ?? []) onChunk(chunk);
    };
  },
};

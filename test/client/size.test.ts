import vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import { clientForPages } from '../../scripts/build/bundle.ts';

const maxBytes = 16 * 1024;

describe('the bundle of the client', () => {
  it(`is one file of at most ${maxBytes} bytes, and imports nothing`, async () => {
    expect(Buffer.byteLength(await clientForPages())).toBeLessThanOrEqual(maxBytes);
  });

  it('is, with the SDK around it, at most 28 KB, and imports nothing', async () => {
    const code = await clientForPages({ room: 'sdk' });
    expect(Buffer.byteLength(code)).toBeLessThanOrEqual(28 * 1024);
  });

  it('works where there is nothing of Node', async () => {
    const code = await clientForPages({ format: 'iife', minify: false });
    const sent: string[] = [];
    class Socket {
      #listeners: Record<string, (event: unknown) => void> = {};
      constructor(url: string) {
        sent.push(url);
        setTimeout(() => this.#listeners.open?.({}), 0);
      }
      addEventListener(type: string, listener: (event: unknown) => void) {
        this.#listeners[type] = listener;
      }
      send(text: string) {
        const { id, method } = JSON.parse(text);
        sent.push(method);
        const policy = { maxFrameBytes: 1000, maxSubscriptions: 9, heartbeatMs: 60_000 };
        const payload = method === 'connect' ? { policy } : { runs: [{ runId: 'run_1' }] };
        this.#listeners.message?.({ data: JSON.stringify({ type: 'response', id, ok: true, payload }) });
      }
      close() {}
    }
    // What QuickJS and Hermes with timers have, and nothing else.
    const host = { Socket, setTimeout, clearTimeout, setInterval, clearInterval, AbortController };
    const runs = await vm.runInNewContext(
      `${code}; (async () => {
        const client = detent.createClient({ url: 'https://shop.example/agent/', token: 't', WebSocket: Socket });
        const runs = await client.runs();
        client.close();
        return JSON.stringify(runs);
      })()`,
      host,
    );
    expect(runs).toBe('[{"runId":"run_1"}]');
    expect(sent).toEqual(['wss://shop.example/agent/ws', 'connect', 'run.list']);
  });
});

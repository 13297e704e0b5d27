import { resolve } from 'node:path';
import vm from 'node:vm';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';

const maxBytes = 16 * 1024;

/** The client as a bundler of an app makes it, for any host. */
async function bundled(format: 'esm' | 'iife', minify: boolean, room = 'client') {
  const build = await rolldown({
    input: resolve(import.meta.dirname, `../../src/${room}/index.ts`),
    platform: 'neutral',
  });
  const { output } = await build.generate({ format, minify, name: 'detent' });
  await build.close();
  return output;
}

describe('the bundle of the client', () => {
  it(`is one file of at most ${maxBytes} bytes, and imports nothing`, async () => {
    const output = await bundled('esm', true);
    expect(output).toHaveLength(1);
    const [{ code, imports }] = output;
    expect(imports).toEqual([]);
    expect(Buffer.byteLength(code)).toBeLessThanOrEqual(maxBytes);
  });

  it('is, with the SDK around it, at most 28 KB, and imports nothing', async () => {
    const output = await bundled('esm', true, 'sdk');
    expect(output).toHaveLength(1);
    const [{ code, imports }] = output;
    expect(imports).toEqual([]);
    expect(Buffer.byteLength(code)).toBeLessThanOrEqual(28 * 1024);
  });

  it('works where there is nothing of Node', async () => {
    const [{ code }] = await bundled('iife', false);
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

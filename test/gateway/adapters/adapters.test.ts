import { describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type Scope, scopes } from '../../../src/protocol/access.ts';
import type { ScriptLine } from '../../../src/testing/index.ts';
import { scripted, tool } from '../../support/detent.ts';
import { connectFrames } from '../support.ts';
import { type HostOptions, hosting, hosts, rawly } from './hosts.ts';

const pay = () => tool('pay', { sideEffect: 'unsafe', confirm: true, run: () => 'paid' });
const asks: ScriptLine[] = [{ toolCalls: [{ name: 'pay', arguments: {} }] }, { text: 'Paid.' }];

/** A host that serves a scripted Detent, and a client of it. */
async function start(name: string, script: readonly ScriptLine[], options: HostOptions = {}) {
  const { detent } = await scripted(script, { tools: { define: [pay()] } });
  const host = await hosting(name, detent, options);
  const { token } = await detent.tokens.create({ scopes: scopes as readonly Scope[] });
  const authorization = `Bearer ${token}`;
  const http = (path: string, init: RequestInit = {}) =>
    fetch(`${host.url}${path}`, { ...init, headers: { authorization, ...init.headers } });
  const post = (path: string, body?: unknown) =>
    http(path, {
      method: 'POST',
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    });
  return { ...host, host, token, http, post };
}

async function startRun({ post }: Awaited<ReturnType<typeof start>>): Promise<string> {
  const response = await post('/agent/api/v1/runs', { prompt: 'größe: 7 €' });
  expect(response.status).toBe(202);
  return ((await response.json()) as { runId: string }).runId;
}

/** Reads an event stream until it has `wanted`, and leaves. */
async function readUntil(response: Response, wanted: string): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (text.includes(wanted)) break;
  }
  return text;
}

describe.each(hosts)('a gateway in %s', (name) => {
  it('starts runs and shows them', async () => {
    const served = await start(name, [{ text: 'Good day.' }]);
    const runId = await startRun(served);
    const view = await served.http(`/agent/api/v1/runs/${runId}/wait`);
    expect(await view.json()).toMatchObject({ status: 'done', text: 'Good day.' });
    const { steps } = await served.detent.runs.show(runId);
    expect(steps).toHaveLength(1);
  });

  it.each(['json', 'text', 'bytes'] as const)('takes a body that was read before as %s', async (reads) => {
    const served = await start(name, asks, { reads });
    const runId = await startRun(served);
    expect((await served.http(`/agent/api/v1/runs/${runId}/wait`)).status).toBe(200);
    const cancelled = await served.post(`/agent/api/v1/runs/${runId}/cancel`);
    expect(await cancelled.json()).toEqual({ cancelled: true });
    const [{ prompt } = { prompt: '' }] = await served.detent.runs.list();
    expect(prompt).toBe('größe: 7 €');
  });

  it('starts nothing when nothing was kept of the body', async () => {
    const onError = vi.fn();
    const { post, detent } = await start(name, [], { reads: 'nothing kept', onError });
    const response = await post('/agent/api/v1/runs', { prompt: 'hello' });
    expect([response.status, await response.json()]).toMatchObject([500, { code: 'BODY_CONSUMED' }]);
    expect(onError).toHaveBeenCalledOnce();
    expect(await detent.runs.list()).toEqual([]);
  });

  it('sends events at once, through compression too, and stops when the client leaves', async () => {
    const served = await start(name, asks, { compresses: true, limits: { maxConnections: 1 } });
    const runId = await startRun(served);
    const events = () => served.http(`/agent/api/v1/runs/${runId}/events`);
    const first = await events();
    expect(first.headers.get('content-encoding')).toBe(null);
    expect((await events()).status).toBe(429);
    expect(await readUntil(first, 'event: tool.confirm_request')).toMatch(/^retry: 1000\n/);
    await vi.waitFor(
      async () => {
        const again = await events();
        await again.body?.cancel();
        expect(again.status).toBe(200);
      },
      { timeout: 60_000 },
    );
  });

  it('leaves no stream behind a HEAD', async () => {
    const served = await start(name, asks, { limits: { maxConnections: 1 } });
    const path = `/agent/api/v1/runs/${await startRun(served)}/events`;
    for (let i = 0; i < 3; i++) {
      const { status, headers } = await served.http(path, { method: 'HEAD' });
      expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    }
  });

  it('answers HEAD and OPTIONS', async () => {
    const { http } = await start(name, [], { origins: ['https://shop.example'] });
    const head = await http('/agent/healthz', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const preflight = await http('/agent/api/v1/runs', {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
      204,
      'https://shop.example',
    ]);
  });

  it('leaves everything else to the host', async () => {
    const { http, post } = await start(name, [], { compresses: true });
    const texts = async (response: Response) => [response.status, await response.text()];
    expect(await texts(await http('/own'))).toEqual([200, 'own page']);
    expect(await (await post('/own', { fruit: 'fig' })).json()).toEqual({ fruit: 'fig' });
    expect(await texts(await http('/own/error'))).toEqual([418, 'host: error']);
    for (const path of ['/', '/agents', '/AGENT/healthz', '/api/v1/runs', '/healthz', '/own/agent/healthz'])
      expect([path, ...(await texts(await http(path)))]).toEqual([path, 404, 'host: not found']);
  });

  it('answers what is not there itself, under its prefix', async () => {
    const { http } = await start(name, []);
    expect((await http('/agent')).status).toBe(200);
    for (const path of ['/agent/nothing', '/agent/api/v1/nothing?x=1']) {
      const response = await http(path);
      expect([path, response.status, await response.json()]).toMatchObject([
        path,
        404,
        { code: 'NOT_FOUND' },
      ]);
    }
  });

  it("sends the host's own headers along", async () => {
    const { http } = await start(name, []);
    expect((await http('/agent/healthz')).headers.get('x-host')).toBe('yes');
  });

  it('takes WebSockets, and leaves those of the host alone', async () => {
    const { url, token, host } = await start(name, [{ text: 'Good day.' }]);
    const client = await connectFrames(`${url}/agent`, token);
    await client.ask('agent.run', { prompt: 'hello' });
    await client.saw(({ event }) => event === 'lifecycle.end');
    const own = new WebSocket(`${url.replace('http', 'ws')}/own/ws`);
    const echoed = new Promise((resolve) => void own.once('message', (data) => resolve(String(data))));
    own.once('open', () => own.send('hello'));
    expect(await echoed).toBe('host: hello');
    own.close();
    client.close();
    const upgrade = 'Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    // The answer of the host's own server of WebSockets.
    expect(await rawly(host, `GET /other HTTP/1.1\r\n${upgrade}`)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('survives a client that leaves in mid-body', async () => {
    const onError = vi.fn();
    const { host, http, token, detent } = await start(name, [], { onError });
    const head = `POST /agent/api/v1/runs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`;
    const body = 'Content-Type: application/json\r\nContent-Length: 900\r\n\r\n{"prompt":"he';
    await rawly(host, head + body, true);
    expect((await http('/agent/readyz')).status).toBe(200);
    expect(await detent.runs.list()).toEqual([]);
    expect(onError).not.toHaveBeenCalled();
  });

  it('refuses a body that is too large, and one that is none', async () => {
    const { post, http } = await start(name, [], { limits: { maxBodyBytes: 1000 } });
    const large = await post('/agent/api/v1/runs', { prompt: 'x'.repeat(2000) });
    expect([large.status, await large.json()]).toMatchObject([413, { code: 'BODY_TOO_LARGE' }]);
    const form = await http('/agent/api/v1/runs', {
      method: 'POST',
      body: new URLSearchParams({ prompt: 'hi' }),
    });
    expect([form.status, await form.json()]).toMatchObject([415, { code: 'UNSUPPORTED_MEDIA_TYPE' }]);
  });

  it('counts failed logins by address, and believes no header about it', async () => {
    const { url } = await start(name, [], { limits: { failuresPerMinute: 1 } });
    expect(await knock(url, { 'x-forwarded-for': '203.0.113.1', 'x-real-ip': '203.0.113.1' })).toBe(401);
    expect(await knock(url, { 'x-forwarded-for': '203.0.113.2', 'x-real-ip': '203.0.113.2' })).toBe(429);
  });

  it('counts by the address that the host names', async () => {
    const { url } = await start(name, [], { isBehindProxy: true, limits: { failuresPerMinute: 1 } });
    const from = (address: string) => knock(url, { 'x-real-ip': address });
    expect(await from('203.0.113.1')).toBe(401);
    expect(await from('203.0.113.2')).toBe(401);
    expect(await from('203.0.113.1')).toBe(429);
  });
});

/** The status of a request with a token that is wrong. */
async function knock(url: string, headers: Record<string, string>): Promise<number> {
  const { status } = await fetch(`${url}/agent/api/v1/runs`, {
    headers: { authorization: 'Bearer wrong', ...headers },
  });
  return status;
}

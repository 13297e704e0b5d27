import { request } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { openBridge } from '../../../../src/cli/commands/inspect/bridge.ts';
import type { InspectionMessage } from '../../../../src/protocol/frames.ts';

const message = { type: '@xstate.event', event: { type: 'run.start' } } as InspectionMessage;

async function bridged(messages: () => AsyncIterable<InspectionMessage>) {
  const errors: unknown[] = [];
  const bridge = await openBridge(messages, (error) => errors.push(error));
  onTestFinished(() => bridge.stop());
  return { ...bridge, errors };
}

function statusOf(url: string, headers: Record<string, string>, method = 'GET'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers, method }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

it('gives nothing to who does not know its address, or comes by another name', async () => {
  const { url } = await bridged(async function* () {
    yield message;
  });
  const { origin, pathname, port } = new URL(url);
  expect(await statusOf(url, {})).toBe(200);
  for (const path of ['/', '/messages', `${pathname.slice(0, -1)}x`, `${pathname}/`, `${pathname}?x`])
    expect(await statusOf(origin + path, {})).toBe(404);
  for (const path of ['', '/messages']) {
    expect(await statusOf(url + path, { host: `evil.example:${port}` })).toBe(404);
    expect(await statusOf(url + path, { host: `localhost:${port}` })).toBe(404);
    expect(await statusOf(url + path, {}, 'POST')).toBe(404);
  }
});

it('lets its page run no script but its own, and show no frame but that of Stately', async () => {
  const { url } = await bridged(async function* () {});
  const response = await fetch(url);
  const policy = response.headers.get('content-security-policy') ?? '';
  const [, nonce] = /script-src 'nonce-([^']+)'/.exec(policy) ?? [];
  expect(await response.text()).toContain(`<script nonce="${nonce}">`);
  for (const part of ["default-src 'none'", 'frame-src https://stately.ai;', "frame-ancestors 'none'"])
    expect(policy).toContain(part);
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
});

it('stops reading a run when its page has gone', async () => {
  const ended = Promise.withResolvers<void>();
  const { url } = await bridged(async function* () {
    try {
      for (;;) {
        yield message;
        await new Promise((resolve) => void setTimeout(resolve, 1));
      }
    } finally {
      ended.resolve();
    }
  });
  const leaving = new AbortController();
  const { body } = await fetch(`${url}/messages`, { signal: leaving.signal });
  await body?.getReader().read();
  leaving.abort();
  await ended.promise;
});

it('reports why a run cannot be read, and ends the messages', async () => {
  const failure = new Error('no log');
  const { url, errors } = await bridged(async function* () {
    throw failure;
  });
  expect(await (await fetch(`${url}/messages`)).text()).toBe('');
  expect(errors).toEqual([failure]);
});

import { once } from 'node:events';
import { connect as connectTo, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { assign, setup } from 'xstate';
import type { RunView } from '../../../src/index.ts';
import { workflow } from '../../../src/workflow/index.ts';
import { itDeep } from '../../support/deep.ts';
import { type Served, served } from '../support.ts';

const megabyte = 1_000_000;
/** More than the buffers of a connection take. */
const longText = 'x'.repeat(6 * megabyte);

/** A connection that sends what it is told, and reads nothing until it is asked to. */
function raw({ url }: Served): Socket & { text(): Promise<string> } {
  const socket = connectTo(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  const text = async () => {
    let read = '';
    for await (const piece of socket) read += piece;
    return read;
  };
  return Object.assign(socket, { text });
}

function head(path: string, token: string, length: number): string {
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/octet-stream',
    `Content-Length: ${length}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

describe('a body', () => {
  it.each(['/api/v1/attachments', '/api/v1/runs', '/v1/chat/completions', '/v1/responses'])(
    'is not read for a token that may not send it to %s',
    async (path) => {
      const host = await served([]);
      const token = await host.token({ scopes: ['read'] });
      const socket = raw(host);
      socket.write(`${head(path, token, 900_000)}only the beginning`);
      const answer = await socket.text();
      expect(answer).toMatch(/^HTTP\/1\.1 403 /);
      expect(answer).toMatch(/^connection: close\r$/im);
    },
  );

  it('is refused before it is read when it is too long', async () => {
    const host = await served([]);
    const socket = raw(host);
    socket.write(head('/api/v1/attachments', await host.token(), 900 * megabyte));
    const answer = await socket.text();
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toMatch(/^connection: close\r$/im);
  });

  it('whose sender stops is given up, and until then no more of its user has room', async () => {
    const limits = { maxBytesPerUser: 1_000_000, stallMs: 3_000 };
    const host = await served([], {}, { limits });
    const upload = { method: 'POST', headers: { 'content-type': 'application/octet-stream' } };
    const ann = await host.token({ userId: 'ann' });
    const send = async (token: string) =>
      (
        await fetch(`${host.url}/api/v1/attachments`, {
          ...upload,
          headers: { ...upload.headers, authorization: `Bearer ${token}` },
          body: new Uint8Array(800_000),
        })
      ).status;
    const stopped = raw(host);
    stopped.write(`${head('/api/v1/attachments', ann, 800_000)}only the beginning`);
    await expect.poll(() => send(ann), { timeout: 60_000 }).toBe(429);
    expect(await send(await host.token({ userId: 'bob' }))).not.toBe(429);
    const refused = await host.http('/api/v1/attachments', {
      ...upload,
      token: ann,
      body: 'x'.repeat(800_000),
    });
    expect(refused.body).toMatchObject({ code: 'TOO_MANY_BYTES', retryable: true });
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await stopped.text()).toMatch(/^HTTP\/1\.1 408 .*BODY_STALLED/s);
    expect(await send(ann)).not.toBe(429);
  });
});

describe('an answer that nobody reads', () => {
  itDeep('counts for its user, and its connection is ended', async () => {
    const limits = { maxBytesPerUser: 10 * megabyte, stallMs: 3_000 };
    const host = await served([{ text: longText }], {}, { limits });
    const { detent } = host;
    const { runId } = await detent.run('write much').result;
    const get = async (token: string) => (await host.http(`/api/v1/runs/${runId}`, { token })).status;
    const token = await host.token();
    expect(await get(token)).toBe(200);
    const deaf = raw(host);
    const lines = [`GET /api/v1/runs/${runId} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${token}`];
    deaf.write(`${lines.join('\r\n')}\r\n\r\n`);
    await once(deaf, 'readable');
    expect(await get(token)).toBe(429);
    expect(await get(await host.token())).toBe(200);
    await expect.poll(() => get(token), { timeout: 60_000 }).toBe(200);
    const gone = new Promise((resolve) => deaf.once('close', resolve));
    deaf.resume();
    await gone;
  });

  it('is not followed by others over the same socket, until it is read', async () => {
    const host = await served([{ text: longText }]);
    const { detent } = host;
    const { runId } = await detent.run('write much').result;
    let made = 0;
    const { show } = detent.runs;
    detent.runs.show = (...args: Parameters<typeof show>): Promise<RunView> => {
      made++;
      return show(...args);
    };
    const client = await host.connect();
    client.socket.pause();
    const asked = Array.from({ length: 6 }, () => client.ask('run.get', { runId }));
    const other = await host.connect();
    await other.ask('run.list');
    await expect.poll(() => made, { timeout: 60_000 }).toBe(1);
    await other.ask('run.list');
    expect(made).toBe(1);
    client.socket.resume();
    for (const answer of await Promise.all(asked)) expect(answer).toMatchObject({ runId });
    expect(made).toBe(6);
  });
});

interface EventPage {
  events: unknown[];
  nextAfterSeq?: number;
}

describe('a log', () => {
  const notebook = workflow(
    setup({ actions: { keep: assign({ last: ({ event }) => event.text.length }) } }).createMachine({
      id: 'notebook',
      version: '1',
      context: { last: 0 },
      on: { note: { actions: 'keep' } },
    }),
  );

  it('comes over frames in pages, and over HTTP whole', async () => {
    const host = await served([], { workflows: [notebook] });
    const { detent } = host;
    const run = detent.workflows.start('notebook');
    await run.started;
    const { runId } = run;
    for (let i = 0; i < 30; i++)
      await detent.workflows.send(runId, { type: 'note', text: String(i).padEnd(100_000, '.') });
    const whole = await detent.runs.events(runId);
    const client = await host.connect();
    const pages: { transitions: unknown[]; nextAfterSeq?: number }[] = [];
    let afterSeq: number | undefined = 0;
    while (afterSeq !== undefined) {
      const page: (typeof pages)[number] = await client.ask('run.log', { runId, afterSeq });
      expect(JSON.stringify(page).length).toBeLessThan(1_100_000);
      pages.push(page);
      afterSeq = page.nextAfterSeq;
    }
    expect(pages.length).toBe(4);
    expect(pages.flatMap(({ transitions }) => transitions)).toEqual(JSON.parse(JSON.stringify(whole)));
    const { body } = await host.http(`/api/v1/runs/${runId}/log`);
    expect(body).toEqual(JSON.parse(JSON.stringify({ transitions: whole })));
    // So do the events, which hold what was sent.
    const events: unknown[] = [];
    for (let after: number | undefined = 0; after !== undefined; ) {
      const page: EventPage = await client.ask('run.events', { runId, afterSeq: after });
      events.push(...page.events);
      after = page.nextAfterSeq;
    }
    expect(events).toEqual(await detent.runs.timeline(runId));
    expect((await host.http('/api/v1/runs/run_none/log')).status).toBe(404);
  });
});

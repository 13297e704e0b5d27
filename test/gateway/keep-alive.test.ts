import { expect, it } from 'vitest';
import { rawSocket } from './sockets.ts';
import { served } from './support.ts';

const lines = (...all: string[]) => [...all, '', ''].join('\r\n');

it('says that a connection ends whose body it does not read to its end', async () => {
  const { url, token } = await served([], {}, { limits: { maxBodyBytes: 1000 } });
  const raw = await rawSocket(url);
  const authorization = `Authorization: Bearer ${await token()}`;
  const length = 10_000_000;
  raw.write(
    lines(
      'POST /api/v1/runs HTTP/1.1',
      'Host: localhost',
      authorization,
      'Content-Type: application/json',
      `Content-Length: ${length}`,
    ),
  );
  raw.write('x'.repeat(100_000));
  const answer = await raw.closed;
  expect(answer).toMatch(/^HTTP\/1\.1 413/);
  expect(answer.toLowerCase()).toContain('connection: close');
  expect(answer.toLowerCase()).not.toContain('keep-alive');
});

it('keeps a connection whose requests it has read', async () => {
  const { url, token } = await served([]);
  const raw = await rawSocket(url);
  const authorization = `Authorization: Bearer ${await token()}`;
  const post = (body: string) =>
    raw.write(
      lines(
        'POST /api/v1/sessions HTTP/1.1',
        'Host: localhost',
        authorization,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      ) + body,
    );
  post('{"sessionId":"a"}');
  expect((await raw.saw('"a"')).toLowerCase()).not.toContain('connection: close');
  post('{"sessionId":"b"}');
  await raw.saw('"b"');
});

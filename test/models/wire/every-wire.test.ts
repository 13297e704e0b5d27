import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { CallFailure } from '../../../src/models/wire/model-error.ts';
import { someOf } from '../../support/deep.ts';
import { inSizes, sized } from '../../support/size.ts';
import { differencesOf } from '../support/compare.ts';
import { byteByByte, cutAtRandom } from '../support/cuts.ts';
import { type Loopback, serve, stream } from '../support/loopback.ts';
import { allRecordings, httpErrors, sumOf, wires } from '../support/recordings.ts';
import { wholeAnswers, wholeDifferences } from '../support/whole-answers.ts';
import { wireTests } from '../support/wires.ts';

// What holds of a call over any wire. What only one wire has stands in its own folder.

const never = () => {};
const seeds = Array.from({ length: sized(1, 20) }, (_, i) => i + 1);
const errors = httpErrors();

/** Serves these bytes of a stream; the connection stays open. */
const open = (bytes: string) =>
  serve((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(bytes);
  });

/** Serves these bytes, and drops the connection behind them. */
const dropping = (bytes: string) =>
  serve((response) => {
    response.writeHead(200);
    response.write(bytes, () => response.socket?.resetAndDestroy());
  });

const closed = ({ sockets }: Loopback) => vi.waitFor(() => expect(sockets.size).toBe(0), { timeout: 30_000 });

it('has every recording', () => {
  const count = (wire: string) => allRecordings().filter((one) => one.wire === wire).length;
  expect(wires.map(count)).toEqual([93, 37, 32]);
  expect(wholeAnswers().filter(({ wire }) => wire !== 'error')).toHaveLength(32);
});

describe.each(wires)('a call over the wire %s', (wire) => {
  const { create, generate, read, once, end, whole } = wireTests[wire];

  describe('gives what was recorded', () => {
    const recordings = allRecordings().filter((one) => one.wire === wire);

    it.each(someOf(recordings, 16))('in $id, whole, cut at random and byte by byte', async (recording) => {
      const cuts = seeds.map((seed) => cutAtRandom(recording.bytes, 12, seed));
      for (const pieces of [[recording.bytes], ...cuts]) {
        const { baseURL } = await serve((response) => stream(response, pieces));
        expect(differencesOf(recording, await generate(baseURL))).toEqual([]);
      }
      const outcome = read(byteByByte(recording.bytes));
      expect(differencesOf(recording, outcome)).toEqual([]);
      if (!recording.strict) expect(outcome.answer).toMatchObject({ finishReason: 'end_turn', error: null });
    });

    it.each(wholeAnswers().filter((one) => one.wire === wire))(
      'in $name, in one piece, whether a stream was asked for or not',
      async (recorded) => {
        const { baseURL, requests } = await serve((response) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify(recorded.body));
        });
        for (const isStream of [true, false]) {
          const { answer, deltas } = await generate(baseURL, { request: { stream: isStream } });
          expect(wholeDifferences(recorded, { answer, deltas })).toEqual([]);
          const { text, reasoning, refusal, toolCalls } = answer;
          expect(sumOf(deltas)).toEqual({ text, reasoning, refusal, toolCalls });
        }
        expect(requests.map(({ body }) => JSON.parse(body).stream)).toEqual([true, false]);
      },
    );
  });

  describe('that is refused', () => {
    it.each(errors)('has the type of the recorded $status of $url, and is made once', async (recorded) => {
      const { baseURL, requests } = await serve((response) => {
        response.writeHead(recorded.status, recorded.headers);
        response.end(JSON.stringify(recorded.body));
      });
      const { answer } = await generate(baseURL);
      expect(answer.error).toMatchObject({ ...recorded.expect, status: recorded.status });
      expect(answer.error?.message).toContain(recorded.body.error.message);
      expect(answer).toMatchObject({
        model: 'a-model',
        text: '',
        toolCalls: [],
        usage: null,
        finish: 'unknown',
      });
      // Attempts are states of the run, not of the client.
      expect(requests).toHaveLength(1);
    });

    it('does not repeat the key', async () => {
      const { baseURL } = await serve((response, { headers }) => {
        const message = `Wrong key: ${headers.authorization ?? headers['x-api-key']}`;
        response.writeHead(401).end(JSON.stringify({ error: { message } }));
      });
      const { answer } = await generate(baseURL);
      expect(answer.error).toMatchObject({ kind: 'auth', retryable: false });
      expect(answer.error?.message).toContain('Wrong key: ');
      expect(JSON.stringify(answer)).not.toContain('sk-test-key');
    });

    it.each(['{"foo":1}', '[]', '"text"', '<html><title>Login</title></html>'])(
      'by a 200 with %s is malformed, and says to check the base URL',
      async (body) => {
        const { baseURL } = await serve((response) => response.end(body));
        const { answer } = await generate(baseURL);
        expect(answer.error).toMatchObject({ kind: 'malformed', retryable: false });
        expect(answer.error?.message).toContain('Check the base URL');
      },
    );
  });

  describe('whose connection ends', () => {
    it.each([
      ['nothing', []],
      ['a comment', [': keep-alive\n\n']],
      ['text without an end', [once]],
      ['half an event', [once, 'data: {"type']],
    ])('behind %s is cut off', async (_, pieces) => {
      const { baseURL } = await serve((response) => stream(response, pieces));
      expect((await generate(baseURL)).answer.error).toMatchObject({ kind: 'network', retryable: true });
    });

    it('in the middle keeps what had come, and names the address', async () => {
      const { baseURL } = await dropping(once);
      const { answer } = await generate(baseURL);
      expect(answer).toMatchObject({ text: 'Once', began: true });
      expect(answer.error).toMatchObject({ kind: 'network', code: 'MODEL_NETWORK', retryable: true });
      expect(answer.error?.message).toContain(new URL(baseURL).origin);
    });

    it('behind the end of the answer has the answer, and needs no end of the connection', async () => {
      const { baseURL } = await dropping(once + end);
      expect((await generate(baseURL)).answer).toMatchObject({ text: 'Once', finish: 'stop', error: null });
      const keeping = await open(once + end);
      expect((await generate(keeping.baseURL)).answer).toMatchObject({ text: 'Once', error: null });
      await closed(keeping);
    });
  });

  describe('is given up', () => {
    it('when the server never answers', async () => {
      const server = await serve(never);
      const { answer } = await generate(server.baseURL, { firstByteTimeoutMs: 40 });
      expect(answer.error).toMatchObject({ kind: 'timeout', code: 'MODEL_TIMEOUT', retryable: true });
      await closed(server);
    });

    it('when it falls silent, and keeps what had come', async () => {
      const server = await open(once);
      const { answer } = await generate(server.baseURL, { idleTimeoutMs: 40 });
      expect(answer).toMatchObject({ text: 'Once', error: { kind: 'timeout', retryable: true } });
      await closed(server);
    });

    it('later when a whole answer was asked for, whose first byte comes when all is written', async () => {
      const { baseURL } = await serve((response) =>
        setTimeout(() => response.end(JSON.stringify(whole)), 200),
      );
      const timeouts = { firstByteTimeoutMs: 40, wholeTimeoutMs: 20_000 };
      expect((await generate(baseURL, timeouts)).answer.error?.kind).toBe('timeout');
      const { answer, deltas } = await generate(baseURL, { ...timeouts, request: { stream: false } });
      expect(answer).toMatchObject({ text: 'Once', error: null });
      expect(deltas).toEqual([{ type: 'text', text: 'Once' }]);
      const { baseURL: silent } = await serve(never);
      const late = await generate(silent, { wholeTimeoutMs: 40, request: { stream: false } });
      expect(late.answer.error).toMatchObject({ kind: 'timeout', retryable: true });
    });

    it('when it is aborted, keeps what had come, and closes the connection', async () => {
      const server = await open(once);
      const controller = new AbortController();
      const { answer } = await generate(server.baseURL, {
        signal: controller.signal,
        onDelta: () => controller.abort(),
      });
      expect(answer).toMatchObject({ text: 'Once' });
      expect(answer.error).toMatchObject({ kind: 'aborted', code: 'MODEL_ABORTED', retryable: false });
      await closed(server);
    });

    it('when an event is no JSON, and keeps what had come', async () => {
      const { baseURL } = await serve((response) => stream(response, [once, 'data: {"type\n\n', end]));
      const { answer } = await generate(baseURL);
      expect(answer).toMatchObject({ text: 'Once', error: { kind: 'malformed', code: 'MODEL_MALFORMED' } });
    });

    it.each([
      ['line', ['data: '], 'x'],
      ['event', [], 'data: x\n'],
      ['answer in one piece', [JSON.stringify(whole).replace(/".*/s, '"')], 'x'],
    ])('when it sends a giant %s', (_, start, more) => {
      const pieces = [...start, ...Array<string>(20_000).fill(more)];
      expect(() => read(pieces, 10_000)).toThrow('sent more than 10000 characters');
    });
  });

  it('throws what a delta handler throws, as that is a defect of the caller', async () => {
    const { baseURL } = await serve((response) => stream(response, [once, end]));
    const onDelta = () => {
      throw new RangeError('my own');
    };
    await expect(generate(baseURL, { onDelta })).rejects.toThrow('my own');
  });

  it('throws nothing but a failed call, whatever bytes come', () => {
    const line = fc.string().map((text) => Buffer.from(`data: ${text}\n\n`));
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.uint8Array(), line)), (pieces) => {
        try {
          read(pieces);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(CallFailure);
        }
      }),
      { numRuns: inSizes({ usual: 20, deep: 300, full: 5_000 }) },
    );
  });

  it.each(['', 'api.example.com/v1', 'ftp://x/v1'])('has no base URL "%s"', (baseURL) => {
    expect(() => create({ baseURL, apiKey: null })).toThrow(/is not an http\(s\) address/);
  });

  it('has no key that HTTP cannot carry, and does not show it', () => {
    const make = () => create({ baseURL: 'http://x/v1', apiKey: 'sk-1\nsk-2' });
    expect(make).toThrow('"API key" holds a line break');
    expect(make).not.toThrow('sk-1');
  });
});

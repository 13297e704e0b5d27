import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { answering, by, mockProvider, newWorkspace } from '../../../support/cli.ts';
import type { MockAnswer } from '../../../support/mock-provider.ts';

/** A port that was free a moment ago. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function failing(answer: MockAnswer) {
  const workspace = await newWorkspace();
  const provider = await answering(answer);
  return workspace.json(['run', 'hi', '--max-retries', '0', ...by(provider)]);
}

describe.concurrent('a provider that fails', () => {
  it('by not being there: a typed error that says what to check', async () => {
    const workspace = await newWorkspace();
    const baseUrl = `http://127.0.0.1:${await closedPort()}/v1`;
    const ended = await workspace.json(['run', 'hi', '--max-retries', '0', ...by({ baseUrl })]);
    expect(ended.code).toBe(1);
    expect(ended.view).toMatchObject({
      status: 'failed',
      outcome: 'provider_error',
      text: '',
      steps: [],
      error: { code: 'MODEL_NETWORK', retryable: true },
    });
    expect(ended.view.error?.message).toContain('refused');
  });

  it('tells a person once, on one line of stderr, without a stack', async () => {
    const workspace = await newWorkspace();
    const baseUrl = `http://127.0.0.1:${await closedPort()}/v1`;
    const args = ['run', 'hi', '--quiet', '--max-retries', '0', ...by({ baseUrl })];
    const { stdout, stderr } = await workspace.detent(args);
    expect(stdout).toBe('');
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain('MODEL_NETWORK');
  });

  it.each([
    ['a wrong key', 401, 'MODEL_AUTH', false],
    ['no right to the model', 403, 'MODEL_PERMISSION', false],
    ['an unknown model', 404, 'MODEL_NOT_FOUND', false],
    ['a bad request', 400, 'MODEL_BAD_REQUEST', false],
    ['too many calls', 429, 'MODEL_RATE_LIMIT', true],
    ['a broken server', 500, 'MODEL_SERVER', true],
  ])('by %s (%i): %s', async (_, status, code, retryable) => {
    const { view } = await failing({ status });
    expect(view).toMatchObject({ outcome: 'provider_error', error: { code, retryable } });
  });

  it('does not repeat what cannot get better', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ status: 401 }, { text: 'never' });
    const { code } = await workspace.json(['run', 'hi', ...by(provider)]);
    expect({ code, requests: provider.requests.length }).toEqual({ code: 1, requests: 1 });
  });

  it.each([
    ['a web page', '<html><body>Welcome to the router</body></html>'],
    ['JSON that is no answer', '{"hello":"world"}'],
    ['bytes', '\u0000\u0001\u0002 nothing'],
    ['nothing at all', ''],
    ['half an event', 'data: {"choices":[{"delta":{"content":"x"'],
  ])('by answering %s', async (_, body) => {
    const { code, view } = await failing({ body });
    expect(code).toBe(1);
    expect(view).toMatchObject({ status: 'failed', outcome: 'provider_error' });
    expect(view.error?.code).toMatch(/^MODEL_/);
  });

  it('by an error inside a stream that began well', async () => {
    const body = [
      'data: {"choices":[{"index":0,"delta":{"content":"Half"}}]}',
      'data: {"error":{"message":"the GPU burns","type":"server_error"}}',
      '',
    ].join('\n\n');
    const { view } = await failing({ body, headers: { 'content-type': 'text/event-stream' } });
    expect(view).toMatchObject({ outcome: 'provider_error', text: 'Half' });
    expect(view.error?.message).toContain('the GPU burns');
  });

  it('by hanging up before it says anything, and is asked again', async () => {
    const workspace = await newWorkspace();
    const provider = await answering({ instead: 'drop' }, { text: 'here I am' });
    const { code, view } = await workspace.json(['run', 'hi', ...by(provider)]);
    expect({ code, text: view.text }).toEqual({ code: 0, text: 'here I am' });
  });

  it('says in text mode what is wrong and that it tries again', async () => {
    const workspace = await newWorkspace();
    const provider = await answering(
      { status: 503, headers: { 'retry-after': '0' }, body: { error: { message: 'lunch break' } } },
      { text: 'back' },
    );
    const { stdout, stderr } = await workspace.detent(['run', 'hi', ...by(provider)]);
    expect(stdout).toBe('back\n');
    expect(stderr).toMatch(/lunch break.*Retrying in/);
  });

  it('ends a refused, a filtered and a cut answer each with an outcome of its own', async () => {
    const refused = await failing({ refusal: 'no', finish: 'stop' });
    expect(refused.view).toMatchObject({ outcome: 'refused', steps: [{ refusal: 'no' }] });
    const filtered = await failing({ text: 'I', finish: 'content_filter' });
    expect(filtered.view).toMatchObject({ outcome: 'content_filtered', text: 'I' });
    const cut = await failing({ text: 'too long to', finish: 'length' });
    expect(cut.view).toMatchObject({ outcome: 'truncated', text: 'too long to' });
    expect([refused.code, filtered.code, cut.code]).toEqual([1, 1, 1]);
  });

  it('completes with losses when the model says nothing again and again', async () => {
    const workspace = await newWorkspace();
    const provider = await mockProvider({ sequence: Array.from({ length: 10 }, () => ({ text: '' })) });
    const { code, view, stderr } = await workspace.json(['run', 'hi', ...by(provider)]);
    expect({ code, outcome: view.outcome }).toEqual({ code: 0, outcome: 'completed_degraded' });
    expect(stderr).toContain('losses');
  });
});

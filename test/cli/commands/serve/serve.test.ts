import { beforeAll, describe, expect, it } from 'vitest';
import { connectFrames } from '../../../gateway/support.ts';
import { afterwards } from '../../../support/afterwards.ts';
import { answering, newWorkspace } from '../../../support/cli.ts';
import { itDeep } from '../../../support/deep.ts';
import { here, type ServedProcess, startServing, withModel } from './support.ts';

const demo = { 'detent.config.json': JSON.stringify({ model: 'demo/demo' }) };

/** One process for the tests that only ask it something. */
let asked: ServedProcess;
beforeAll(async () => {
  asked = await startServing(await newWorkspace(demo), [], here, afterwards);
});

describe('detent serve --json', () => {
  it('prints one line once it listens, with a token that no database has', async () => {
    const workspace = await newWorkspace(demo);
    const served = await startServing(workspace);
    expect(served.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(served.token).toMatch(/^[\w-]{43}$/);
    expect(served.loginUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#login=[\w-]{43}$/);
    const started = await served.http('/api/v1/runs', { prompt: 'What is 17 * 23?' });
    expect(started.status).toBe(202);
    const ended = await served.http(`/api/v1/runs/${started.body.runId}/wait`);
    expect(ended.body).toMatchObject({ status: 'done', text: expect.stringContaining('391') });
    expect(await workspace.withLibrary((detent) => detent.tokens.list())).toEqual([]);
    served.kill('SIGTERM');
    expect(await served.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\{.*\}\n$/) });
    const next = await startServing(workspace, [], here);
    const old = await fetch(`${next.url}/api/v1/runs`, {
      headers: { authorization: `Bearer ${served.token}` },
    });
    expect(old.status).toBe(401);
  });

  it('gives a page all that a person may do, for one code', async () => {
    const served = asked;
    const code = new URL(served.loginUrl).hash.replace('#login=', '');
    const { status, body } = await served.http('/api/v1/login', { code });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { scopes: ['talk', 'read', 'write', 'approve', 'admin'] },
    });
    await connectFrames(served.url, body.token ?? '');
    const again = await served.http('/api/v1/login', { code });
    expect(again).toMatchObject({
      status: 401,
      body: { detail: expect.stringContaining('already used') },
    });
  });

  it('says in one JSON object why it cannot listen', async () => {
    const { port } = new URL(asked.url);
    const { code, stdout, stderr } = await (await newWorkspace(demo)).detent([
      ...['serve', '--port', port],
      '--json',
    ]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'CANNOT_LISTEN' } });
    expect(stderr).toMatch(/another program listens there.*--port/);
  });
});

describe('detent serve --any-port', () => {
  it('takes another port than one that is taken, and says so', async () => {
    const { port } = new URL(asked.url);
    const workspace = await newWorkspace(demo);
    const live = workspace.start(['serve', '--port', port, '--any-port', '--json'], here);
    const { url } = JSON.parse(await live.saw('stdout', /\n/));
    expect(url).not.toBe(asked.url);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await live.saw(
      'stderr',
      new RegExp(`port ${port} is taken, perhaps by .*took port ${new URL(url).port}\n`),
    );
    live.kill('SIGTERM');
    expect(await live.ended).toMatchObject({ code: 0 });
  });

  it('names the gateway that serves the folder already', async () => {
    const workspace = await newWorkspace(demo);
    const first = await startServing(workspace, [], here);
    const second = workspace.start(
      ['serve', '--port', new URL(first.url).port, '--any-port', '--json'],
      here,
    );
    await second.saw(
      'stderr',
      new RegExp(`is taken, and a gateway of this database is open at ${first.url} already`),
    );
    second.kill('SIGTERM');
    expect(await second.ended).toMatchObject({ code: 0 });
  });

  it('takes the one that it was given when that is free', async () => {
    const first = await startServing(await newWorkspace(demo), [], here);
    const { port } = new URL(first.url);
    first.kill('SIGTERM');
    await first.ended;
    const live = (await newWorkspace(demo)).start(['serve', '--port', port, '--any-port', '--json'], here);
    expect(JSON.parse(await live.saw('stdout', /\n/)).url).toBe(first.url);
    live.kill('SIGTERM');
    expect(await live.ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining('taken') });
  });
});

it('is named by the links of "detent token login" while it runs', async () => {
  const workspace = await newWorkspace(demo);
  const env = { DETENT_HOME: workspace.path('home') };
  const link = async () => (await workspace.detent(['token', 'login'], { env })).stdout;
  const served = await startServing(workspace, [], { env, ...here });
  expect(await link()).toMatch(new RegExp(`^${served.url}/#login=log_`));
  served.kill('SIGTERM');
  await served.ended;
  expect(await link()).toMatch(/^http:\/\/127\.0\.0\.1:7420\/#login=log_/);
});

describe('detent serve', () => {
  it('runs the jobs of the workspace, and says so behind the line with the address', async () => {
    const workspace = await newWorkspace(demo);
    const add = [
      'cron',
      'add',
      'sum',
      '--every',
      '1h',
      '--deliver',
      'console',
      '--prompt',
      'What is 17 * 23?',
    ];
    await workspace.detent(add);
    const live = workspace.start(['serve', '--port', '0', '--json'], here);
    await live.saw('stdout', /"url"/);
    expect(await workspace.detent(['cron', 'run', 'sum'])).toMatchObject({ code: 0 });
    const stdout = await live.saw('stdout', /"delivered"/);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ url: expect.any(String) });
    expect(lines.map(({ type }) => type)).toEqual([undefined, 'began', 'ended', 'console', 'delivered']);
    live.kill('SIGTERM');
    expect(await live.ended).toMatchObject({ code: 0 });
  });

  itDeep('leaves the jobs to another process with --no-schedule', async () => {
    const workspace = await newWorkspace(demo);
    await workspace.detent(['cron', 'add', 'sum', '--every', '1h', '--prompt', 'What is 17 * 23?']);
    const live = workspace.start(['serve', '--port', '0', '--json', '--no-schedule'], here);
    await live.saw('stdout', /"url"/);
    expect(await workspace.detent(['cron', 'run', 'sum'])).toMatchObject({
      code: 5,
      stdout: expect.stringContaining('waits for its turn'),
      stderr: expect.stringMatching(/no process runs the schedule.*start one with: detent cron serve/s),
    });
    live.kill('SIGTERM');
    await live.ended;
  });

  it('tells people the address, a login link and how to make tokens', async () => {
    const workspace = await newWorkspace(demo);
    const live = workspace.start(['serve', '--port', '0']);
    const stderr = await live.saw('stderr', /Ctrl-C/);
    const stdout = await live.saw('stdout', /#login=[\w-]{43}\n/);
    expect(stdout).toMatch(/^Detent serves \S+ at http:\/\/127\.0\.0\.1:\d+\n/);
    expect(stderr).toContain('detent token create --scope read,write');
    const [, url] = / at (\S+)/.exec(stdout) ?? [];
    expect(stderr).toContain(`detent token login --url ${url}\n`);
    const token = (await workspace.detent(['token', 'create', '--scope', 'read'])).stdout.trim();
    await connectFrames(String(url), token);
    live.kill('SIGINT');
    expect(await live.ended).toMatchObject({ code: 0, signal: null });
  });

  itDeep('lets the tour take its time, because people watch it on a page', async () => {
    const workspace = await newWorkspace(demo);
    const live = workspace.start(['serve', '--port', '0']);
    const [, url] = / at (\S+)/.exec(await live.saw('stdout', /#login=/)) ?? [];
    const token = (await workspace.detent(['token', 'create', '--scope', 'read,write,admin'])).stdout.trim();
    const page = await connectFrames(String(url), token);
    const { runId } = await page.ask('agent.run', { prompt: 'Show me how you work', model: 'demo/tour' });
    await page.saw(
      ({ event, payload }) => event === 'state.changed' && /backingOff/.test(JSON.stringify(payload)),
    );
    const { stdout } = await workspace.detent(['runs', 'events', String(runId), '--json']);
    expect(stdout).toMatch(/"delayMs":2000\b/);
    live.kill('SIGKILL');
    await live.ended;
  });

  it('says at / what it is, without a token and without data', async () => {
    const response = await fetch(asked.url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(await response.text()).toContain('/api/v1/openapi.json');
  });

  it('is reached by the names that were allowed, and by no other', async () => {
    const served = await startServing(
      await newWorkspace(demo),
      [
        ...['--host', '0.0.0.0', '--allow-host', 'agent.example'],
        ...['--allow-origin', 'https://shop.example'],
      ],
      here,
    );
    const statusOf = async (host: string) => {
      const { request } = await import('node:http');
      return new Promise((resolve, reject) => {
        const options = { headers: { host, origin: 'https://shop.example' } };
        request(`${served.url}/healthz`, options, (response) => {
          response.resume();
          resolve([response.statusCode, response.headers['access-control-allow-origin']]);
        })
          .on('error', reject)
          .end();
      });
    };
    expect(await statusOf('agent.example')).toEqual([200, 'https://shop.example']);
    expect((await statusOf('evil.example')) as unknown[]).toContain(403);
  });

  it('has its runs answered by the model that its flags name', async () => {
    const provider = await answering({ text: 'From the flag.' });
    const served = await startServing(
      await newWorkspace(),
      [...['--model', 'any/thing', '--base-url', provider.baseUrl]],
      here,
    );
    const { body } = await served.http('/api/v1/runs', { prompt: 'hello' });
    const ended = await served.http(`/api/v1/runs/${body.runId}/wait`);
    expect(ended.body).toMatchObject({ status: 'done', text: 'From the flag.' });
  });
});

/** A server whose model has begun an answer that does not go on; the next one is this. */
async function inAnAnswer(next: Parameters<typeof answering>[number]) {
  const provider = await answering({ text: ['Cut'], ending: 'hang' }, next);
  const workspace = await newWorkspace({
    'detent.config.json': JSON.stringify(withModel(provider.baseUrl)),
  });
  const served = await startServing(workspace);
  const client = await served.connect();
  const { runId } = await client.ask('agent.run', { prompt: 'go' });
  await client.saw(({ event }) => event === 'assistant.delta');
  return { workspace, served, client, runId };
}

describe('a detent serve that is stopped', () => {
  it('refuses new runs, lets those under way finish, and ends with its clients connected', async () => {
    const provider = await answering({ text: ['Half', ' and half.'], pieceMs: 1_000 });
    const workspace = await newWorkspace({
      'detent.config.json': JSON.stringify(withModel(provider.baseUrl)),
    });
    const served = await startServing(workspace);
    const [client, idle] = [await served.connect(), await served.connect()];
    const { runId } = await client.ask('agent.run', { prompt: 'go' });
    const stream = await fetch(`${served.url}/api/v1/runs/${runId}/events`, {
      headers: { authorization: `Bearer ${served.token}` },
    });
    await client.saw(({ event }) => event === 'assistant.delta');
    served.kill('SIGTERM');
    await client.saw(({ event }) => event === 'gateway.draining');
    const refused = await served.http('/api/v1/runs', { prompt: 'another' });
    expect(refused).toMatchObject({ status: 503, body: { code: 'DRAINING' } });
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await client.refused('agent.run', { prompt: 'a third' })).toMatchObject({
      code: 'DRAINING',
      retryable: true,
    });
    expect((await served.http('/readyz')).status).toBe(503);
    const ended = await client.saw(({ event }) => event === 'lifecycle.end');
    expect(ended).toMatchObject({ payload: { content: 'Half and half.' } });
    expect(await stream.text()).toContain('lifecycle.end');
    expect(await served.ended).toMatchObject({ code: 0, signal: null });
    expect((await client.closed).code).toBe(1001);
    expect((await idle.closed).code).toBe(1001);
  });

  it('waits for a run that a decision has set going again', async () => {
    const provider = await answering(
      { calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'b' } }] },
      { text: ['Writ', 'ten.'], pieceMs: 500 },
    );
    const workspace = await newWorkspace({
      'detent.config.json': JSON.stringify(withModel(provider.baseUrl)),
    });
    const { view } = await workspace.json(['run', 'write']);
    const served = await startServing(workspace);
    const client = await served.connect();
    const { runId } = view;
    await client.ask('run.subscribe', { runId });
    await client.ask('tool.confirm', { runId, callId: view.pending[0]?.callId, verdict: 'approve' });
    await client.saw(({ event }) => event === 'assistant.delta');
    served.kill('SIGTERM');
    expect(await served.ended).toMatchObject({ code: 0 });
    expect(await workspace.look(runId)).toMatchObject({ status: 'done', text: 'Written.' });
    expect(provider.requests).toHaveLength(2);
  });

  itDeep('leaves at once when it is asked again, and the next one goes on', async () => {
    const { workspace, served, client, runId } = await inAnAnswer({ text: 'Now.' });
    served.kill('SIGTERM');
    await client.saw(({ event }) => event === 'gateway.draining');
    served.kill('SIGTERM');
    expect(await served.ended).toMatchObject({ code: 130 });
    const next = await startServing(workspace, [], here);
    const ended = await next.http(`/api/v1/runs/${runId}/wait`);
    expect(ended.body).toMatchObject({ status: 'done', text: 'Now.' });
  });

  itDeep('is killed, and the next one goes on with its runs', async () => {
    const { workspace, served, runId } = await inAnAnswer({ text: 'Whole.' });
    served.kill('SIGKILL');
    await served.ended;
    const next = await startServing(workspace, [], here);
    const ended = await next.http(`/api/v1/runs/${runId}/wait`);
    expect(ended.body).toMatchObject({ status: 'done', text: 'Whole.' });
  });
});

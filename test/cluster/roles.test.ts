import { expect, it, onTestFinished } from 'vitest';
import type { ClientEvent } from '../../src/client/index.ts';
import { clientOf, logged, wireTo } from '../client/support.ts';
import { answering, bareWorkspace, mockProvider } from '../support/cli.ts';
import { itDeep } from '../support/deep.ts';
import { inSizes } from '../support/size.ts';
import { withoutBoss } from '../support/without-boss.ts';
import { gateway, worker, workspaceOnServer } from './serving.ts';

const deploys = inSizes({ usual: 1, deep: 2, full: 20 });
/** Before a worker is stopped, and again after it: a user may have 100 runs at once. */
const runsADeploy = inSizes({ usual: 10, deep: 20, full: 40 });
const answersOfRun = 2;

const portOf = (url: string) => Number(new URL(url).port);

type Named<E> = Extract<ClientEvent, { event: E }>;

/** The first event of that name. */
async function until<E extends ClientEvent['event']>(
  events: AsyncIterable<ClientEvent>,
  name: E,
): Promise<Named<E>> {
  for await (const event of events) if (event.event === name) return event as Named<E>;
  throw new Error(`the run ended without ${name}`);
}

it('serve refuses an unknown role, and all but one without a server', async () => {
  const workspace = await bareWorkspace({ 'detent.config.json': JSON.stringify({ model: 'demo/demo' }) });
  const unknown = await workspace.detent(['serve', '--role', 'driver']);
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('all, gateway, worker') });
  for (const role of ['gateway', 'worker'])
    expect(await workspace.detent(['serve', '--role', role])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('DATABASE_URL'),
    });
});

it('serve says once that pg-boss is not installed, and drives runs by the rows', async () => {
  const model = await answering({ text: 'It is done.' });
  const { workspace, url, token } = await workspaceOnServer(model.baseUrl);
  const env = { DATABASE_URL: url, NODE_OPTIONS: withoutBoss };
  const live = workspace.start(['serve', '--port', '0', '--json'], { env });
  onTestFinished(async () => {
    live.kill('SIGKILL');
    await live.ended;
  });
  const [line = ''] = (await live.saw('stdout', /\n/)).split('\n');
  const client = clientOf({ url: JSON.parse(line).url, token });
  expect(await client.run('work').result).toMatchObject({ status: 'done', text: 'It is done.' });
  live.kill('SIGTERM');
  const { stderr } = await live.ended;
  expect(stderr.match(/pg-boss is not installed/g)).toHaveLength(1);
});

itDeep(
  'a run goes on over the loss of a gateway: followed, confirmed and cancelled at another one, each event once',
  async () => {
    const pieces = Array.from({ length: 40 }, (_, n) => `piece ${n} `);
    const model = await mockProvider({
      turns: [
        {
          when: 'write',
          answers: [
            { calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'a' } }] },
            { text: pieces, pieceMs: 25 },
          ],
        },
        { when: 'hang', answers: [{ text: 'I begin', ending: 'hang' }] },
      ],
    });
    const { workspace, token } = await workspaceOnServer(model.baseUrl);
    const [a, b, driver] = await Promise.all([gateway(workspace), gateway(workspace), worker(workspace)]);
    const wire = await wireTo(portOf(a.url));
    const near = clientOf({ url: wire.url, token });
    const far = clientOf({ url: b.url, token });

    const run = near.run('write');
    const { runId } = await run.started;
    const seen: ClientEvent[] = [];
    const reading = (async () => {
      for await (const event of run.events) seen.push(event);
    })();
    const { payload } = await until(far.watch(runId), 'tool.confirm_request');
    await far.confirm(runId, payload.callId, { verdict: 'approve' });
    // A piece of the answer comes from the worker over the gateway at which nobody started the run, and then over the other one.
    await until(far.watch(runId), 'assistant.delta');
    await expect
      .poll(() => seen.some(({ event }) => event === 'assistant.delta'), { interval: 10 })
      .toBe(true);
    a.kill('SIGKILL');
    await a.ended;
    wire.port = portOf(b.url);
    wire.cut();
    await reading;
    expect(await run.result).toMatchObject({ status: 'done', text: pieces.join('') });
    expect(logged(seen)).toEqual(logged(await Array.fromAsync(far.watch(runId))));

    const hanging = near.run('hang');
    const other = await hanging.started;
    await until(far.watch(other.runId), 'assistant.delta');
    await far.cancel(other.runId, 'enough');
    expect(await hanging.result).toMatchObject({ status: 'cancelled' });

    for (const path of ['/healthz', '/readyz'])
      expect(await fetch(`${driver.url}${path}`)).toMatchObject({ status: 200 });
    const elsewhere = await fetch(`${driver.url}/api/v1/runs`);
    expect(elsewhere.status).toBe(404);
    expect(await elsewhere.json()).toMatchObject({ detail: expect.stringContaining('this is a worker') });
  },
);

itDeep('workers are replaced one after the other under load, and no run fails', async () => {
  const model = await mockProvider({
    turns: [
      {
        answers: [
          { calls: [{ name: 'calculator', arguments: { expression: '17 * 23' } }], delayMs: 100 },
          { text: ['It is ', '391.'], pieceMs: 50 },
        ],
      },
    ],
  });
  const { workspace, token } = await workspaceOnServer(model.baseUrl);
  const [served, first] = await Promise.all([gateway(workspace), worker(workspace)]);
  const client = clientOf({ url: served.url, token });
  const begin = () => Array.from({ length: runsADeploy }, () => client.run('How much?').result);
  let old = first;
  for (let deploy = 0; deploy < deploys; deploy++) {
    const before = begin();
    await model.arrived(deploy * 2 * answersOfRun * runsADeploy + 1);
    const next = await worker(workspace);
    old.kill('SIGTERM');
    const results = [...before, ...begin()];
    expect(await old.ended).toMatchObject({ code: 0 });
    const ended = await Promise.all(results);
    expect(ended.map(({ status, text }) => [status, text])).toEqual(ended.map(() => ['done', 'It is 391.']));
    old = next;
  }
});

it('what a stopped worker drove goes on at another one, whose clients notice nothing', async () => {
  const model = await answering({ text: 'I begin', ending: 'hang' }, { text: 'It is done.' });
  const { workspace, token } = await workspaceOnServer(model.baseUrl);
  const [served, first] = await Promise.all([gateway(workspace), worker(workspace)]);
  const client = clientOf({ url: served.url, token });
  const run = client.run('work');
  await model.arrived(1);
  await worker(workspace);
  first.kill('SIGTERM');
  const stopped = performance.now();
  await model.arrived(2);
  console.log(
    `a stopped worker's run is driven elsewhere after ${Math.round(performance.now() - stopped)} ms`,
  );
  expect(await first.ended).toMatchObject({ code: 0 });
  expect(await run.result).toMatchObject({ status: 'done', text: 'It is done.' });
});

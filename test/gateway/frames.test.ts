import { describe, expect, it } from 'vitest';
import { DetentError } from '../../src/protocol/error.ts';
import { gate } from '../support/detent.ts';
import { openSocket, served } from './support.ts';

const names = (events: readonly { event: string }[]) => events.map(({ event }) => event);

describe('frames', () => {
  it('start a run, and send its events behind the response', async () => {
    const asked = gate();
    const { connect } = await served([
      (_, { signal }) => asked.pass(signal).then(() => ({ text: 'Good day.' })),
    ]);
    const client = await connect();
    const { runId, sessionId } = await client.ask('agent.run', { prompt: 'hello', sessionId: 'tea' });
    expect(sessionId).toBe('tea');
    await client.saw(({ event }) => event === 'step.begin');
    asked.open();
    const end = await client.saw(({ event }) => event === 'lifecycle.end');
    expect(end).toMatchObject({ runId, payload: { status: 'done', content: 'Good day.' } });
    expect(names(client.events)[0]).toBe('lifecycle.start');
    expect(names(client.events)).toContain('assistant.delta');
  });

  it('carry two large answers to a client that is slow to take them, and what it asked for behind them', async () => {
    // More than the sockets of a machine hold.
    const text = 'x'.repeat(6_000_000);
    const { connect, detent } = await served([{ text }]);
    const { runId } = await detent.run('go').result;
    const client = await connect();
    client.socket.pause();
    const asked = ['run.get', 'run.get', 'ping', 'run.list'].map((method) =>
      client.request(method, method === 'run.get' ? { runId } : {}),
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    client.socket.resume();
    const answers = await Promise.all(asked);
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, true, true]);
  });

  it('let a client try again when its token cannot be checked for now', async () => {
    let isBusy = true;
    const gateway = await served(
      [],
      {},
      {
        // Long enough for a busy machine to answer a ping before the next.
        limits: { heartbeatMs: 250 },
        authenticate: () => {
          if (isBusy) throw new DetentError('DATABASE_BUSY', 'busy', { retryable: true });
          return { tenantId: 1, userId: null, scopes: ['read'] };
        },
        onError: () => {},
      },
    );
    const early = await openSocket(gateway.url);
    expect(await early.refused('connect', { token: 'x' })).toMatchObject({ code: 'DATABASE_BUSY' });
    expect((await early.closed).code).toBe(1013);
    isBusy = false;
    const client = await gateway.connect('x');
    isBusy = true;
    const pings = Promise.withResolvers<void>();
    let beats = 0;
    client.socket.on('ping', () => ++beats === 4 && pings.resolve());
    await pings.promise;
    expect(await client.ask('run.list')).toEqual({ runs: [] });
  });

  it('find the run that a person means, among those of the caller', async () => {
    const { connect, detent, token } = await served([{ text: 'one' }, { text: 'two' }]);
    const adas = await connect(await token({ userId: 'ada' }));
    const { runId } = await adas.ask('agent.run', { prompt: 'hello' });
    await adas.saw(({ event }) => event === 'lifecycle.end');
    const other = await detent.run('hi', { principal: { tenantId: 1, userId: 'bob' } }).result;
    const all = await connect();
    expect(await all.ask('run.find', { word: 'last' })).toEqual({ runId: other.runId });
    expect(await all.ask('run.find', { word: other.runId.slice(0, 10) })).toEqual({ runId: other.runId });
    for (const word of ['last', runId, String(runId).slice(0, 10), 'run_'])
      expect(await adas.ask('run.find', { word })).toEqual({ runId });
    expect(await adas.refused('run.find', { word: other.runId })).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('say whether a run that was waited for has settled', async () => {
    const { connect } = await served([{ text: 'done' }]);
    const client = await connect();
    const { runId } = await client.ask('agent.run', { prompt: 'go' });
    expect(await client.ask('agent.wait', { runId })).toMatchObject({ status: 'done', isSettled: true });
  });
});

import { describe, expect, it } from 'vitest';
import { served } from './support.ts';

describe('the HTTP interface', () => {
  it('starts a run and streams its events', async () => {
    const { http } = await served([{ text: 'Good day.' }]);
    const started = await http('/api/v1/runs', { method: 'POST', body: { prompt: 'hello' } });
    expect(started).toMatchObject({ status: 202, body: { runId: expect.any(String) } });
    const { runId } = started.body;
    const stream = await http(`/api/v1/runs/${runId}/events`);
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.body).toMatch(/^retry: 1000\n\n/);
    expect(stream.body).toMatch(/event: lifecycle\.end\ndata: .*Good day/);
    const { body } = await http(`/api/v1/runs/${runId}`);
    expect(body).toMatchObject({ status: 'done', text: 'Good day.', allowed: [] });
  });

  it('names a misspelt field before the one that is missing', async () => {
    const { http } = await served([]);
    const refused = await http('/api/v1/runs', { method: 'POST', body: { promt: 'hello' } });
    expect(refused).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('"promt": there is no such field; did you mean "prompt"?') },
    });
  });

  it('describes itself', async () => {
    const { http } = await served([]);
    const { body } = await http('/api/v1/openapi.json', { token: null });
    expect(body).toMatchObject({ openapi: '3.1.0', components: { schemas: { Run: {}, Problem: {} } } });
    const { url } = (body as unknown as { externalDocs: { url: string } }).externalDocs;
    const frames = await http(`/api/v1/${url}`, { token: null });
    expect(frames.body).toMatchObject({ asyncapi: '3.0.0', channels: { frames: { address: '/ws' } } });
  });
});

it('ends the event stream of a run for good once the client has its last event', async () => {
  const { detent, http, connect } = await served([{ text: 'done' }], {}, { authenticate: () => operator });
  const { runId } = await detent.run('hi').result;
  const ask = (headers = {}) => http(`/api/v1/runs/${runId}/events`, { headers });
  const stream = String((await ask()).body);
  const last =
    stream
      .match(/^id: (\d+)$/gm)
      ?.at(-1)
      ?.slice(4) ?? '';
  expect(await ask({ 'last-event-id': last })).toMatchObject({ status: 204, body: '' });
  expect(await ask({ 'last-event-id': '1' })).toMatchObject({ status: 200 });
  const invalid = (field: string) => ({ status: 400, body: { code: 'INVALID_REQUEST', details: { field } } });
  expect(await ask({ 'last-event-id': 'abc' })).toMatchObject(invalid('Last-Event-ID'));
  expect(await ask({ 'last-event-id': '99' })).toMatchObject(invalid('after'));
  const client = await connect('any');
  expect(await client.refused('run.subscribe', { runId, afterSeq: 99 })).toMatchObject({
    code: 'INVALID_REQUEST',
    details: { field: 'afterSeq' },
  });
  const events = (await detent.runs.events(runId)).at(-1)?.seq;
  expect(await client.ask('run.subscribe', { runId, afterSeq: events })).toEqual({ runId });
  // It advises no tokens of its own where the host has others.
  expect(String((await http('/')).body)).not.toContain('detent token');
});

const operator = { tenantId: 1, userId: null, scopes: ['read', 'admin'] as const };

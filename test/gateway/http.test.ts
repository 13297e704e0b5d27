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

  it('answers with problems', async () => {
    const { http } = await served([]);
    expect(await http('/api/v1/runs', { token: null })).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHORIZED', title: 'UNAUTHORIZED', status: 401, retryable: false },
    });
    expect(await http('/api/v1/runs/run_none')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await http('/nothing')).toMatchObject({ status: 404 });
    expect(await http('/api/v1/runs', { method: 'POST', body: '{' })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST' },
    });
  });

  it('describes itself', async () => {
    const { http } = await served([]);
    const { body } = await http('/api/v1/openapi.json', { token: null });
    expect(body).toMatchObject({ openapi: '3.1.0', components: { schemas: { Run: {}, Problem: {} } } });
  });
});

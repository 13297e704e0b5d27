import { describe, expect, it } from 'vitest';
import { answering, bareWorkspace, newWorkspace } from '../../../support/cli.ts';

const look = { calls: [{ name: 'datetime' }], usage: { prompt_tokens: 500_000, completion_tokens: 0 } };
const price = { inputUsd: 2, outputUsd: 8 };

async function priced() {
  const provider = await answering(look, look, look, { text: 'ok' });
  const models = { mock: { baseUrl: provider.baseUrl, models: { m: { price } } } };
  return { provider, workspace: await newWorkspace({ 'detent.config.json': JSON.stringify({ models }) }) };
}

describe.concurrent('--max-cost', () => {
  it('ends a run with the answer that reaches it', async () => {
    const { workspace, provider } = await priced();
    const { code, view } = await workspace.json(['run', 'go', '--model', 'm', '--max-cost', '1.50']);
    expect({ code, outcome: view.outcome, costUsd: view.usage.costUsd }).toEqual({
      code: 1,
      outcome: 'budget_exhausted',
      costUsd: 2,
    });
    expect(provider.requests).toHaveLength(2);
  });

  it('without a price ends with 3 and names the field, before anything is made', async () => {
    const workspace = await bareWorkspace();
    const args = ['run', 'go', '--model', 'any/m', '--base-url', 'http://127.0.0.1:9/v1', '--max-cost', '1'];
    const ended = await workspace.detent(args);
    expect(ended).toMatchObject({ code: 3, stdout: '' });
    expect(ended.stderr).toContain('models.any.models["m"].price');
    expect((await workspace.json<unknown[]>(['runs', 'list'])).view).toEqual([]);
  });
});

describe.concurrent('--no-stream', () => {
  it('asks for whole answers and prints each when it is complete', async () => {
    const { workspace, provider } = await priced();
    provider.play({
      sequence: [{ text: 'Looking.', calls: [{ name: 'datetime' }] }, { text: ['It is ', 'late.'] }],
    });
    const ended = await workspace.detent(['run', 'go', '--model', 'm', '--no-stream', '--quiet']);
    expect(ended).toMatchObject({ code: 0, stdout: 'Looking.\nIt is late.\n', stderr: '' });
    expect(provider.requests.map(({ body }) => body.stream)).toEqual([false, false]);
    expect(provider.requests[0]?.body).not.toHaveProperty('stream_options');
  });

  it('belongs to the run: it is kept when another process resumes the run', async () => {
    const { workspace, provider } = await priced();
    const args = { path: 'a.txt', content: 'a' };
    provider.play({ sequence: [{ calls: [{ name: 'write_file', arguments: args }] }, { text: 'done' }] });
    const { view } = await workspace.json(['run', 'go', '--model', 'm', '--no-stream']);
    await workspace.detent(['runs', 'confirm', view.runId, 'c2', '--approve']);
    expect((await workspace.detent(['runs', 'resume', view.runId])).code).toBe(0);
    expect(provider.requests.map(({ body }) => body.stream)).toEqual([false, false]);
  });
});

import { describe, expect, it } from 'vitest';
import { by, mockProvider, newWorkspace, type Workspace } from '../../../support/cli.ts';
import type { MockAnswer, MockProvider, MockSlot } from '../../../support/mock-provider.ts';

interface Setup {
  a: MockProvider;
  b: MockProvider;
  workspace: Workspace;
}

/** Two providers, `a` and `b`, and a configuration that falls back from a/model to b/model. */
async function twoModels(a: MockSlot[], b: MockSlot[], config: object = {}): Promise<Setup> {
  const first = await mockProvider({ sequence: a });
  const second = await mockProvider({ sequence: b });
  const workspace = await newWorkspace({
    'detent.config.json': JSON.stringify({
      model: 'a/model',
      fallbacks: ['b/model'],
      models: { a: { baseUrl: first.baseUrl }, b: { baseUrl: second.baseUrl } },
      ...config,
    }),
  });
  return { a: first, b: second, workspace };
}

const down: MockAnswer = { status: 500 };

describe.concurrent('a model that fails', () => {
  it('is shown while the run works, in its view, and by why', async () => {
    const { workspace } = await twoModels([{ status: 401 }], [{ text: 'ok' }]);
    const ran = await workspace.detent(['run', 'hi']);
    expect(ran.stderr).toMatch(/a\/model: .*refused the credentials.* Continuing with b\/model\./);
    const { runId } = await workspace.lookAtOne();
    const shown = await workspace.detent(['runs', 'show', runId]);
    expect(shown.stdout).toMatch(/^switched a\/model → b\/model at seq 2: MODEL_AUTH: /m);
    const why = await workspace.detent(['runs', 'why', runId]);
    expect(why.stdout).toMatch(/seq 2: a\/model failed: MODEL_AUTH: .*; the call went to b\/model instead/);
  });

  it('has no say over the model that a flag names', async () => {
    const { a, b, workspace } = await twoModels([down], [{ text: 'other' }]);
    const { view } = await workspace.json(['run', 'hi', '--model', 'a/model', '--max-retries', '0']);
    expect(view.error?.code).toBe('MODEL_SERVER');
    const elsewhere = await mockProvider({ sequence: [down] });
    const other = await workspace.json(['run', 'hi', '--max-retries', '0', ...by(elsewhere)]);
    expect(other.view.error?.code).toBe('MODEL_SERVER');
    expect([a.requests.length, b.requests.length]).toEqual([1, 0]);
  });
});

describe.concurrent('a run none of whose models answers', () => {
  it('fails with one error that names each and why', async () => {
    const { workspace } = await twoModels([down], [{ status: 401 }]);
    const { code, view } = await workspace.json(['run', 'hi']);
    expect(code).toBe(1);
    expect(view).toMatchObject({ outcome: 'provider_error', error: { code: 'ALL_MODELS_FAILED' } });
    expect(view.error?.message).toMatch(
      /^none of the 2 models answered: \(1\) a\/model: MODEL_SERVER: .* \(2\) b\/model: MODEL_AUTH: .*Check the API key/,
    );
    const { stdout } = await workspace.detent(['runs', 'why', view.runId]);
    expect(stdout).toContain('every model of the list failed (a/model, b/model)');
    expect(stdout).toMatch(/attempt 1 \(seq 2\): MODEL_SERVER: .*; the call went to b\/model instead/);
    expect(stdout).toMatch(/attempt 2 \(seq 3\): MODEL_AUTH: .*; not retried/);
  });
});

describe.concurrent('a model that cannot be asked at all', () => {
  const keyless = (b: MockProvider) => ({
    model: 'a/model',
    fallbacks: ['b/model'],
    models: { a: { baseUrl: 'http://127.0.0.1:9/v1', apiKeyEnv: 'A_KEY' }, b: { baseUrl: b.baseUrl } },
  });

  it('because its key is missing is replaced, too', async () => {
    const b = await mockProvider({ sequence: [{ text: 'from b' }] });
    const workspace = await newWorkspace({ 'detent.config.json': JSON.stringify(keyless(b)) });
    const { code, view } = await workspace.json(['run', 'hi']);
    expect({ code, text: view.text }).toEqual({ code: 0, text: 'from b' });
    expect(view.switches?.[0]?.error).toMatchObject({
      code: 'MISSING_KEY',
      reason: { code: 'model_key_missing' },
    });
  });

  it('nor any other: the run is not begun, and each missing key is named', async () => {
    const config = { ...keyless(await mockProvider({ sequence: [] })), fallbacks: ['openai/gpt-5-mini'] };
    const workspace = await newWorkspace({ 'detent.config.json': JSON.stringify(config) });
    const ended = await workspace.detent(['run', 'hi']);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain('A_KEY');
    expect(ended.stderr).toContain('OPENAI_API_KEY');
  });
});

describe.concurrent('the list of models', () => {
  it('of an agent goes before that of the configuration', async () => {
    const { b, workspace } = await twoModels([down, down], [{ text: 'from b' }], {
      fallbacks: [],
      agents: { careful: { fallbacks: ['b/model'] } },
    });
    const careful = await workspace.json(['run', 'hi', '--agent', 'careful']);
    expect(careful.view.text).toBe('from b');
    const usual = await workspace.json(['run', 'hi', '--max-retries', '0']);
    expect(usual.view.error?.code).toBe('MODEL_SERVER');
    expect(b.requests).toHaveLength(1);
  });

  it('may leave out the provider of a model that one provider lists', async () => {
    const b = await mockProvider({ sequence: [{ text: 'from b' }] });
    const a = await mockProvider({ sequence: [down] });
    const models = { a: { baseUrl: a.baseUrl }, b: { baseUrl: b.baseUrl, models: { large: {} } } };
    const config = { model: 'a/model', fallbacks: ['large'], models };
    const workspace = await newWorkspace({ 'detent.config.json': JSON.stringify(config) });
    expect((await workspace.json(['run', 'hi'])).view.switches?.[0]?.to).toBe('b/large');
  });

  it.each([
    [{ fallbacks: ['no-such-model'] }, 'fallbacks.0'],
    [{ agents: { x: { fallbacks: ['no-such-model'] } } }, 'agents.x.fallbacks.0'],
    [{ fallbacks: Array(8).fill('a/model') }, 'fallbacks'],
    [{ router: { strategy: 'random' } }, 'router.strategy'],
    [{ router: { breaker: { failures: -1 } } }, 'router.breaker.failures'],
  ])('is checked before anything is begun: %j', async (config, field) => {
    const workspace = await newWorkspace({ 'detent.config.json': JSON.stringify(config) });
    const ended = await workspace.detent(['run', 'hi']);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain(`${field}: `);
  });
});

describe.concurrent('a kept answer', () => {
  it('is given to the same question by another process: no model is called, and it costs nothing', async () => {
    const price = { inputUsd: 1, outputUsd: 1 };
    const a = await mockProvider({ sequence: [{ text: ['from', ' a'] }, { text: 'anew' }] });
    const config = {
      model: 'a/model',
      models: { a: { baseUrl: a.baseUrl, models: { '*': { price } } } },
      router: { cache: { ttlMs: 3_600_000 } },
    };
    const workspace = await newWorkspace({ 'detent.config.json': JSON.stringify(config) });
    const first = await workspace.json(['run', 'What is a detent?']);
    const second = await workspace.json(['run', 'What is a detent?']);
    expect([first, second].map(({ view }) => view.text)).toEqual(['from a', 'from a']);
    expect(a.requests).toHaveLength(1);
    expect(first.view.steps[0]).not.toHaveProperty('cached');
    expect(first.view.usage.costUsd).toBeGreaterThan(0);
    expect(second.view.steps[0]).toMatchObject({ cached: true, usage: null });
    expect(second.view.usage).toMatchObject({ inputTokens: 0, outputTokens: 0, costUsd: 0 });
    const shown = await workspace.detent(['runs', 'show', second.view.runId]);
    expect(shown.stdout).toContain('from the answer cache');
    expect((await workspace.detent(['run', 'What is a detent?', '--no-cache'])).stdout).toBe('anew\n');
  });
});

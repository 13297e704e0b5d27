import { describe, expect, it } from 'vitest';
import { startRequest } from '../../src/runtime/requests/run-request.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { coreWith, tool } from '../support/detent.ts';

describe('an artifact', () => {
  it('holds the whole output without known secrets, and belongs to its tenant', async () => {
    const output = `${'line\n'.repeat(12_000)}super-secret-value`;
    const model = scriptedModel([{ toolCalls: [{ name: 'dump' }] }, { text: 'long' }]);
    const env = { X_TOKEN: 'super-secret-value' };
    const core = await coreWith(model, { env, tools: { define: [tool('dump', { run: () => output })] } });
    const request = startRequest('dump', {}, { model: 'test/script', env }, 'run_1');
    await core.runs.start(request);
    const view = await core.runs.settled(1, 'run_1');
    const id = /artifact (art_\w+)/.exec(view.steps[0]?.toolCalls[0]?.result ?? '')?.[1] ?? '';
    const artifact = await core.store.query('findArtifact', { tenant: 1, id });
    expect(artifact?.body).toBe(output.replace('super-secret-value', '[redacted:X_TOKEN]'));
    expect(await core.store.query('findArtifact', { tenant: 2, id })).toBeUndefined();
  });

  it('shows no half of a secret where its preview is cut', async () => {
    const secret = 'super-secret-value';
    const output = `${'x'.repeat(1_990)}${secret}${'x'.repeat(60_000)}`;
    const model = scriptedModel([{ toolCalls: [{ name: 'dump' }] }, { text: 'long' }]);
    const core = await coreWith(model, {
      env: { X_TOKEN: secret },
      tools: { define: [tool('dump', { run: () => output })] },
    });
    await core.runs.start(startRequest('dump', {}, { model: 'test/script', env: {} }, 'run_1'));
    await core.runs.settled(1, 'run_1');
    expect(model.requests[1]?.messages.at(-1)?.text).not.toContain('super');
  });
});

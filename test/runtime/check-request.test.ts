import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { DetentOptions, RunRequest } from '../../src/index.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { checkRequest } from '../../src/runtime/requests/run-request.ts';
import { temporaryWorkspace } from '../support/detent.ts';

const config: DetentOptions = {
  env: { ODD_NAME: 'value-of-the-key', BROKEN: 'value\nof two lines' },
  model: 'here/m',
  models: {
    here: { baseUrl: 'http://127.0.0.1:9/v1' },
    keyed: { baseUrl: 'http://127.0.0.1:9/v1', apiKeyEnv: 'ODD_NAME' },
    broken: { baseUrl: 'http://127.0.0.1:9/v1', apiKeyEnv: 'BROKEN' },
    locked: { baseUrl: 'http://127.0.0.1:9/v1', apiKeyEnv: 'NOT_SET' },
  },
  budgets: { tight: { maxCostUsd: 1 } },
};

const wrong: [code: string, request: RunRequest][] = [
  ['UNKNOWN_MODEL', { model: 'nobody/m' }],
  ['UNKNOWN_MODEL', { model: 'demo/other' }],
  ['INVALID_BASE_URL', { model: 'any/m', baseUrl: 'ftp://127.0.0.1' }],
  ['INVALID_HEADER', { model: 'broken/m' }],
  ['MISSING_KEY', { model: 'locked/m' }],
  ['MISSING_KEY', { model: 'here/m', apiKeyEnv: 'NOT_SET' }],
  ['PRICE_MISSING', { limits: { maxCostUsd: 1 } }],
  ['PRICE_MISSING', { budget: 'tight' }],
  ['UNKNOWN_AGENT', { agent: 'nobody' }],
  ['UNKNOWN_BUDGET', { budget: 'none' }],
  ['UNKNOWN_TOOLSET', { tools: ['@none'] }],
  ['INVALID_SESSION', { sessionId: 'a\nb' }],
  ['INVALID_CONFIG', { limits: { maxSteps: 0 } }],
];

describe('a request that cannot become a run', () => {
  it.each(wrong)('is refused with %s: %j', (code, request) => {
    expect(() => checkRequest(request, config)).toThrow(expect.objectContaining({ code }));
  });

  it('is refused by a Detent in the same words, before anything is opened', async () => {
    const workspace = await temporaryWorkspace();
    const detent = createDetent({ ...config, workspace });
    for (const [code, request] of wrong)
      await expect(detent.run('hello', request).started).rejects.toMatchObject({ code });
    await expect(detent.run(' ').started).rejects.toMatchObject({ code: 'EMPTY_PROMPT' });
    expect(readdirSync(workspace)).toEqual([]);
    await detent.close();
  });

  it('passes while one of its models has its key', () => {
    const fallbacks = ['locked/m', 'keyed/m'];
    expect(checkRequest({}, { ...config, model: 'locked/n', fallbacks }).keys).toEqual(['ODD_NAME']);
    expect(() => checkRequest({}, { ...config, model: 'locked/n', fallbacks: ['locked/m'] })).toThrow(
      /none of the 2 models can be used/,
    );
  });
});

describe('the key of a model that a request names', () => {
  it('is a secret before the prompt is stored, whatever its variable is called', async () => {
    const workspace = await temporaryWorkspace();
    const detent = createDetent({ ...config, workspace, store: 'in-process' });
    const request = { model: 'here/m', apiKeyEnv: 'ODD_NAME', sessionId: 's', limits: { maxRetries: 0 } };
    await detent.run('my key is value-of-the-key', request).result;
    const session = JSON.stringify(await detent.sessions.show('s'));
    expect(session).toContain('[redacted:ODD_NAME]');
    expect(session).not.toContain('value-of-the-key');
    await detent.close();
  });
});

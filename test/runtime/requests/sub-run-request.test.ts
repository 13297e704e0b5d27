import { describe, expect, it } from 'vitest';
import type { DetentOptions } from '../../../src/index.ts';
import { startRequest } from '../../../src/runtime/requests/run-request.ts';
import { subRunRequest } from '../../../src/runtime/requests/sub-run-request.ts';
import { defaultLimits, type RunOptions } from '../../../src/store/run-options.ts';

const config: DetentOptions = {
  model: 'test/usual',
  models: { test: { generate: async () => ({}) as never } },
  agents: { scout: { model: 'test/scout', output: { type: 'object' } }, clerk: { tools: ['grep'] } },
  env: {},
};
const parent: RunOptions = {
  machine: 'run',
  model: 'test/asked',
  endpoint: null,
  system: 'Be kind.',
  tools: ['grep', 'task'],
  approve: 'ask',
  workspace: '/work',
  principal: { tenantId: 1, userId: 'ann', claims: {} },
};
const planned = (options: Partial<RunOptions>, task: object = {}) =>
  subRunRequest({ ...parent, ...options }, { prompt: 'look', ...task }, defaultLimits, {
    config,
    resolve: (asked) => startRequest('look', asked, config, ''),
  }).options;

describe('the options of a sub-run', () => {
  it('are those of its parent, whatever waits for that parent', () => {
    const options = planned({ linked: true, parentRunId: 'run_1', parentCall: 'c2' });
    expect(options).toMatchObject({ model: 'test/asked', system: 'Be kind.', tools: ['grep', 'task'] });
    expect(options).not.toHaveProperty('linked');
  });

  const given = { model: 'workflow/task', system: '', call: { name: 'task', arguments: '{}' } };

  it('are those of the configured agent when its parent makes one given call and asks no model', () => {
    const options = planned(given);
    expect(options).toMatchObject({ model: 'test/usual', tools: ['grep', 'task'], approve: 'ask' });
    expect(options.system).not.toBe('');
    expect(options).not.toHaveProperty('call');
    expect(options.principal).toEqual(parent.principal);
  });

  it('are those of the agent that such a parent has, or that its call names', () => {
    expect(planned({ ...given, agent: 'clerk' })).toMatchObject({ agent: 'clerk', tools: ['grep'] });
    expect(planned({ ...given, agent: 'scout' })).not.toHaveProperty('output');
    expect(planned(given, { agent: 'scout' })).toMatchObject({
      agent: 'scout',
      model: 'test/scout',
      output: { type: 'object' },
    });
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { clientMethodsSource } from '../../scripts/write-client-methods.ts';
import { isRepeatable } from '../../src/client/api.ts';
import { methods } from '../../src/gateway/methods/methods.ts';

describe('the types of the methods', () => {
  it('are those of the gateway: else run "npm run client:write"', () => {
    const file = new URL('../../src/client/methods.ts', import.meta.url);
    expect(readFileSync(file, 'utf8')).toBe(clientMethodsSource());
  });
});

describe('a request whose connection broke', () => {
  it('is repeated when it reads, and when a second time does nothing more', () => {
    for (const { name, scope } of methods) if (scope === 'read') expect(isRepeatable(name, {})).toBe(true);
    for (const name of ['agent.run', 'agent.cancel', 'tool.confirm', 'run.resume'])
      expect(isRepeatable(name, {})).toBe(true);
    expect(isRepeatable('run.reconcile', { verdict: 'skip' })).toBe(true);
  });

  it('is not repeated when it could do a thing twice', () => {
    for (const name of ['agent.steer', 'run.fork', 'question.answer', 'session.clear', 'session.delete'])
      expect(isRepeatable(name, {})).toBe(false);
    expect(isRepeatable('run.reconcile', { verdict: 'retry' })).toBe(false);
    expect(isRepeatable('later.method', {})).toBe(false);
  });
});

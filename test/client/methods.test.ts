import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { clientMethodsSource } from '../../scripts/write-client-methods.ts';
import { isRepeatable, takesKey } from '../../src/client/api.ts';
import { methods } from '../../src/gateway/methods/methods.ts';

describe('the types of the methods', () => {
  it('are those of the gateway: else run "npm run client:write"', () => {
    const file = new URL('../../src/client/methods.ts', import.meta.url);
    expect(readFileSync(file, 'utf8')).toBe(clientMethodsSource());
  });
});

describe('a request whose connection broke', () => {
  it('is repeated when it reads, and with a key when it changes something', () => {
    for (const { name, keyed } of methods)
      expect([name, isRepeatable(name), takesKey(name)]).toEqual([name, true, keyed !== undefined]);
  });

  it('is not repeated, and has no key, when the client does not know its method', () => {
    expect([isRepeatable('later.method'), takesKey('later.method')]).toEqual([false, false]);
  });
});

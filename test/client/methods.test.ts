import { describe, expect, it } from 'vitest';
import { isRepeatable, takesKey } from '../../src/client/api.ts';
import { methods } from '../../src/gateway/methods/methods.ts';

describe('a request whose connection broke', () => {
  it('is repeated when it reads, and with a key when it changes something', () => {
    for (const { name, keyed } of methods)
      expect([name, isRepeatable(name), takesKey(name)]).toEqual([name, true, keyed !== undefined]);
  });

  it('has a field for its key when it takes one, and else none', () => {
    for (const { name, keyed, input } of methods)
      expect([name, 'idempotencyKey' in input.shape]).toEqual([name, keyed !== undefined]);
  });

  it('is not repeated, and has no key, when the client does not know its method', () => {
    expect([isRepeatable('later.method'), takesKey('later.method')]).toEqual([false, false]);
  });
});

import { describe, expect, it } from 'vitest';
import { Clients } from '../../../src/models/directory.ts';
import { scriptedModel } from '../../../src/testing/index.ts';

function setup(most: number) {
  const clients = new Clients(most);
  const made: string[] = [];
  const get = (name: string) =>
    clients.get(name, async () => {
      made.push(name);
      return scriptedModel([]);
    });
  return { clients, made, get };
}

describe('the clients that are kept', () => {
  it('are made once, also when two ask at the same time', async () => {
    const { made, get } = setup(2);
    const [a, b] = await Promise.all([get('a'), get('a')]);
    expect(a).toBe(b);
    expect(await get('a')).toBe(a);
    expect(made).toEqual(['a']);
  });

  it('are those last used', async () => {
    const { made, get } = setup(2);
    for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await get(name);
    expect(made).toEqual(['a', 'b', 'c', 'b']);
  });

  it('hold no failure', async () => {
    const { clients, get } = setup(2);
    const failed = clients.get('a', () => Promise.reject(new Error('no such module')));
    await expect(failed).rejects.toThrow('no such module');
    await expect(get('a')).resolves.toBeDefined();
  });
});

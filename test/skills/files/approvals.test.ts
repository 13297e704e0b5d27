import { describe, expect, it } from 'vitest';
import { Approvals } from '../../../src/skills/files/approvals.ts';
import { temporaryFolder } from '../../store/support.ts';

describe('approvals of skills from two processes', () => {
  it('are all kept, and what one takes back the other does not bring back', async () => {
    const home = await temporaryFolder();
    await new Approvals(home).add('old', 'hash');
    const added = ['a', 'b', 'c', 'd'];
    const [removed] = await Promise.all([
      new Approvals(home).remove('old'),
      ...added.map((name) => new Approvals(home).add(name, `hash of ${name}`)),
    ]);
    expect(removed).toBe(1);
    const now = new Approvals(home);
    for (const name of added) expect(await now.has(`hash of ${name}`)).toBe(true);
    expect(await now.has('hash')).toBe(false);
  });
});

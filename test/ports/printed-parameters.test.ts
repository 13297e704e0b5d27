import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { printedSource } from '../../scripts/write-parameters.ts';

describe('the parameters that are printed ahead of time', () => {
  it('are those that the tools check now', async () => {
    const stored = await readFile(new URL('../../src/ports/printed-parameters.ts', import.meta.url), 'utf8');
    expect(stored === (await printedSource()), 'npm run parameters:write').toBe(true);
  });
});

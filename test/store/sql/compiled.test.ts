import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compiledSources } from '../../../scripts/write-statements.ts';
import { compileMigrations, compileStatements } from '../../../src/store/sql/compile.ts';

describe('the statements that are compiled ahead of time', () => {
  it('are those that Kysely builds now, and so are the migrations', () => {
    const current = compiledSources(compileStatements(), compileMigrations());
    for (const [name, source] of Object.entries(current)) {
      const stored = readFileSync(new URL(`../../../src/store/sql/${name}`, import.meta.url), 'utf8');
      expect(stored === source, `${name}: npm run sql:write`).toBe(true);
    }
  });
});

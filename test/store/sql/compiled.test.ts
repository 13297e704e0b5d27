import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compiledSource } from '../../../scripts/write-statements.ts';
import { compileStatements } from '../../../src/store/sql/compile.ts';
import { migrations } from '../../../src/store/sql/migrations.ts';

describe('the statements that are compiled ahead of time', () => {
  it('are those that Kysely builds now, and the migrations those that there are', () => {
    const stored = readFileSync(new URL('../../../src/store/sql/compiled.ts', import.meta.url), 'utf8');
    const current = compiledSource(compileStatements(), Object.keys(migrations));
    expect(stored === current, 'run: npm run sql:write').toBe(true);
  });
});

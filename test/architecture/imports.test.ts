import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
const copy = mkdtempSync(join(tmpdir(), 'detent-imports-'));
copyFileSync(join(root, 'biome.json'), join(copy, 'biome.json'));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** What the linter says of one import, were it in that file: the project's own rules on a tree of planted files. */
function lint(file: string, specifier: string): string {
  const path = join(copy, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `import { x } from '${specifier}';\n\nx();\n`);
  const run = spawnSync(process.execPath, [biome, 'lint', file], { cwd: copy, encoding: 'utf8' });
  return run.stdout + run.stderr;
}

describe('import directions', () => {
  it.each([
    ['machines/planted.ts', 'node:fs'],
    ['machines/planted.ts', '../src/engine/hash.ts'],
    ['machines/planted.ts', 'zod'],
    ['src/protocol/planted.ts', '../engine/store.ts'],
    ['src/protocol/planted.ts', 'zod'],
    ['src/protocol/planted.ts', 'node:fs'],
    ['src/engine/planted.ts', '../agent/think.ts'],
    ['src/engine/planted.ts', '../store/sql/sqlite.ts'],
    ['src/engine/planted.ts', 'node:crypto'],
    ['src/agent/planted.ts', '../tools/toolbox.ts'],
    ['src/agent/planted.ts', '../models/directory.ts'],
    ['src/agent/planted.ts', '../compose.ts'],
    ['src/agent/planted.ts', 'node:path'],
    ['src/models/planted.ts', '../tools/toolbox.ts'],
    ['src/models/openai/planted.ts', '../../store/sql/sqlite.ts'],
    ['src/tools/planted.ts', '../models/directory.ts'],
    ['src/tools/builtin/planted.ts', '../../memory/day-log.ts'],
    ['src/store/sql/planted.ts', '../../tools/toolbox.ts'],
    ['src/memory/planted.ts', '../store/sql/sqlite.ts'],
    ['src/log/planted.ts', '../store/sql/sqlite.ts'],
    ['src/compose.ts', './cli/main.ts'],
    ['src/testing/planted.ts', '../cli/main.ts'],
  ])('%s may not import %s', (file, specifier) => {
    expect(lint(file, specifier)).toContain('noRestrictedImports');
  });

  it.each([
    ['machines/planted.ts', 'xstate'],
    ['machines/planted.ts', './run.rules.ts'],
    ['src/protocol/planted.ts', 'zod/mini'],
    ['src/protocol/planted.ts', '../../machines/run.types.ts'],
    ['src/engine/planted.ts', '../protocol/error.ts'],
    ['src/agent/planted.ts', '../engine/store.ts'],
    ['src/models/openai/planted.ts', '../../agent/chat-model.ts'],
    ['src/tools/planted.ts', 'node:fs'],
    ['src/cli/planted.ts', '../compose.ts'],
  ])('%s may import %s', (file, specifier) => {
    expect(lint(file, specifier)).not.toContain('noRestrictedImports');
  });
});

import { describe, expect, it } from 'vitest';
import { executorOf } from '../../../src/tools/files/guarded-paths.ts';

const executor = (path: string) => executorOf(path.split('/'));

describe('a path by which something can be made to execute', () => {
  it.each([
    ['.git/hooks/pre-commit', 'git'],
    ['.git/config', 'git'],
    ['.git', 'git'],
    ['vendor/lib/.git/config', 'git'],
    ['mirror.git/hooks/update', 'git'],
    ['store/HEAD', 'git'],
    ['.gitmodules', 'git'],
    ['.husky/pre-push', 'git'],
    ['.pre-commit-config.yaml', 'git'],
    ['detent.config.ts', 'Detent'],
    ['detent.config.yaml', 'Detent'],
    ['sub/project/detent.config.mjs', 'Detent'],
    ['.mcp.json', 'Detent'],
    ['machines/flow.machine.ts', 'Detent'],
    ['skills/greet/SKILL.md', 'Detent'],
    ['skills/greet/scripts/run.sh', 'Detent'],
    ['.agents/skills/greet/notes.md', 'Detent'],
    ['docs/deep/SKILL.md', 'Detent'],
    ['.claude/settings.json', 'another agent'],
    ['.github/workflows/ci.yml', 'GitHub Actions'],
    ['.vscode/tasks.json', 'an editor'],
    ['.vscode/settings.json', 'an editor'],
    ['app.code-workspace', 'an editor'],
    ['package.json', 'npm'],
    ['packages/a/package.json', 'npm'],
    ['.npmrc', 'npm'],
    ['.envrc', 'direnv'],
  ])('%s: %s', (path, who) => expect(executor(path)).toBe(who));

  it.each([
    ['in other letters', '.GIT/Hooks/pre-commit'],
    ['with full-width letters', '.ｇｉｔ/config'],
    ['with letters that fold to others', 'pacKage.json'],
    ['with invisible characters', '.g\u200cit/config'],
    ['with a trailing dot', '.git./config'],
    ['with trailing blanks', '.git . /config'],
    ['as a stream of NTFS', '.git::$INDEX_ALLOCATION/config'],
    ['by its short name', 'GIT~1/config'],
    ['after a step that stays', './.git/config'],
    ['with doubled slashes', 'a//.git//config'],
  ])('%s', (_, path) => expect(executor(path)).not.toBeNull());
});

describe('any other path', () => {
  it.each([
    'README.md',
    'src/index.ts',
    'git/config',
    'src/machines/flow.ts',
    'docs/skills/a.md',
    'src/head/index.ts',
    'package.json.md',
    'notes/package-json',
    'detent.configuration.md',
    'my.detent.config.ts',
    '.gitignore',
    '.gitkeep',
    'a:b',
    'constructor',
    '...',
  ])('%s asks as the policy says', (path) => expect(executor(path)).toBeNull());
});

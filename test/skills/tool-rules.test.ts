import { describe, expect, it } from 'vitest';
import { toolEntries, toolRules, unknownEntries } from '../../src/skills/files/skill-text.ts';

const rules = (text: string) =>
  toolRules(toolEntries(text) ?? []).map(({ tool, pattern }) =>
    pattern === null ? tool : `${tool}(${pattern})`,
  );

describe('the tools that a skill names', () => {
  it.each([
    ['Read', ['read_file']],
    ['Write Edit Glob Grep WebFetch', ['write_file', 'edit_file', 'list_files', 'grep', 'http_get']],
    ['Bash', ['shell', 'shell_output', 'shell_kill']],
    ['Bash(git:*) Read', ['shell(git:*)', 'shell_output', 'shell_kill', 'read_file']],
    [
      'Bash(git log:*), Bash(npm run test)',
      ['shell(git log:*)', 'shell_output', 'shell_kill', 'shell(npm run test)'],
    ],
    ['Bash(*) Read()', ['shell', 'shell_output', 'shell_kill', 'read_file']],
    ['read_file mcp__wiki__*', ['read_file', 'mcp__wiki__*']],
    ['', []],
  ])('%j are %j', (text, expected) => {
    expect(rules(text)).toEqual(expected);
  });

  it('come as a text or as a list', () => {
    expect(toolEntries(['Bash(git status:*)', 'Read'])).toEqual(['Bash(git status:*)', 'Read']);
    expect(toolEntries([])).toEqual([]);
    expect(toolEntries(undefined)).toBeNull();
  });

  it('that do not exist can be listed', () => {
    const known = (tool: string) => ['shell', 'shell_output', 'shell_kill', 'read_file'].includes(tool);
    expect(unknownEntries(['Bash(git:*)', 'Read', 'Teleport', 'toString'], known)).toEqual([
      'Teleport',
      'toString',
    ]);
  });
});

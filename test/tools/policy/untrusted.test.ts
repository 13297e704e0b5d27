import { describe, expect, it } from 'vitest';
import { globMatcher } from '../../../src/tools/files/glob.ts';
import { createToolbox } from '../../../src/tools/toolbox.ts';
import { fakeTool } from '../helpers.ts';

const boxOf = (untrusted: string[], ...tools: Parameters<typeof fakeTool>[0][]) =>
  createToolbox({ tools: tools.map(fakeTool), allowed: null, untrusted: untrusted.map(globMatcher) });

describe('untrusted is', () => {
  it('what a tool says of itself, for all its calls or for some', () => {
    const box = boxOf(
      [],
      { name: 'mail', untrusted: true },
      { name: 'mixed', untrusted: (args) => 'foreign' in args },
      { name: 'broken', untrusted: () => Boolean(({} as { a: { b: 1 } }).a.b) },
      { name: 'vague', untrusted: () => undefined as never },
      { name: 'own' },
    );
    expect(box.isUntrusted('vague', '{}')).toBe(true);
    expect(box.isUntrusted('mail', '{}')).toBe(true);
    expect(box.isUntrusted('mixed', '{"foreign":1}')).toBe(true);
    expect(box.isUntrusted('mixed', '{}')).toBe(false);
    expect(box.isUntrusted('mixed', 'not json')).toBe(true);
    expect(box.isUntrusted('broken', '{}')).toBe(true);
    expect(box.isUntrusted('own', '{}')).toBe(false);
  });

  it('what MCP servers return, unless their tool is trusted by name, and of tools that no longer exist', () => {
    const box = boxOf([], { name: 'mcp__a__b' }, { name: 'mcp__a__c', untrusted: false });
    expect(box.isUntrusted('mcp__a__b', '{}')).toBe(true);
    expect(box.isUntrusted('mcp__a__c', '{}')).toBe(false);
    expect(box.isUntrusted('gone', '{}')).toBe(true);
  });

  it.each([
    ['inbox/a.txt', true],
    ['./inbox/a.txt', true],
    ['inbox//deep/../a.txt', true],
    ['notes/../inbox/a.txt', true],
    ['/srv/shop/inbox/a.txt', true],
    ['inbox', false],
    ['notes/a.txt', false],
    ['notes/mail.eml', true],
  ])('a file that the configuration names: %s, %s', (path, expected) => {
    const box = boxOf(['inbox/**', '*.eml'], { name: 'read_file' });
    expect(box.isUntrusted('read_file', JSON.stringify({ path }))).toBe(expected);
    expect(boxOf([], { name: 'read_file' }).isUntrusted('read_file', JSON.stringify({ path }))).toBe(false);
  });

  it('what may have come upon such a file', () => {
    for (const name of ['grep', 'shell', 'shell_output']) {
      expect(boxOf(['inbox/**'], { name }).isUntrusted(name, '{"path":"notes"}')).toBe(true);
      expect(boxOf([], { name }).isUntrusted(name, '{}')).toBe(false);
    }
  });
});

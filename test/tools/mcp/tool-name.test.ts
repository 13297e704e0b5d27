import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toolName, toolPrefix } from '../../../src/tools/mcp/tool-name.ts';

const odd = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', '_', '-', '.', 'é'), maxLength: 12 }),
  fc.string({ maxLength: 80 }),
);

describe('the name of a tool of a server', () => {
  it('is plain where it can be', () => {
    expect(toolName('github', 'search_issues')).toBe('mcp__github__search_issues');
    expect(toolName('my.wiki', 'read')).toMatch(/^mcp__my_wiki__read_[0-9a-f]{8}$/);
    expect(toolName('github', 'x'.repeat(100))).toMatch(/^mcp__github__x+_[0-9a-f]{8}$/);
  });

  it('is one that every provider takes, and begins with the prefix of its server', () => {
    fc.assert(
      fc.property(odd, odd, (server, tool) => {
        const name = toolName(server, tool);
        expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(name.startsWith(toolPrefix(server))).toBe(true);
      }),
    );
  });

  it('is that of no other tool', () => {
    fc.assert(
      fc.property(odd, odd, odd, odd, (server, tool, otherServer, otherTool) => {
        fc.pre(server !== otherServer || tool !== otherTool);
        expect(toolName(server, tool)).not.toBe(toolName(otherServer, otherTool));
      }),
      {
        examples: [
          ['a_', 'b', 'a', '_b'],
          ['a__b', 'c', 'a', 'b__c'],
          ['a.b', 'c', 'a_b', 'c'],
        ],
      },
    );
  });
});

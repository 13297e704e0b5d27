import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namedByBoth, namesPrefix, toolMatcher } from '../../../src/tools/registry/name-patterns.ts';

const name = fc.string({ unit: fc.constantFrom('a', 'b', '_'), maxLength: 4 });
const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '_', '*'), maxLength: 4 });

describe('a list of names with patterns', () => {
  it.each([
    ['mcp__github__*', 'mcp__github__search', true],
    ['mcp__github__*', 'mcp__gitlab__search', false],
    ['*', 'shell', true],
    ['mcp__*__read', 'mcp__wiki__read', true],
    ['mcp__*__read', 'mcp__wiki__reader', false],
    ['a.c', 'abc', false],
  ])('%s names %s: %j', (listed, tool, isNamed) => {
    expect(toolMatcher([listed])(tool)).toBe(isNamed);
  });

  it('and another have in common at most what both name, and all that is written out in both', () => {
    fc.assert(
      fc.property(fc.array(pattern), fc.array(pattern), name, (one, other, tool) => {
        const both = toolMatcher(namedByBoth(one, other))(tool);
        const inBoth = toolMatcher(one)(tool) && toolMatcher(other)(tool);
        if (both) expect(inBoth).toBe(true);
        if (inBoth && (one.includes(tool) || other.includes(tool))) expect(both).toBe(true);
      }),
    );
  });

  it('can name a tool with a prefix whenever it names one', () => {
    fc.assert(
      fc.property(fc.array(pattern), name, name, (names, prefix, rest) => {
        if (toolMatcher(names)(prefix + rest)) expect(namesPrefix(names, prefix)).toBe(true);
      }),
    );
    expect(namesPrefix(['@files', 'read_file'], 'mcp__a__')).toBe(false);
    expect(namesPrefix(['mcp__*'], 'mcp__a__')).toBe(true);
    expect(namesPrefix(['mcp__a__read'], 'mcp__a__')).toBe(true);
  });
});

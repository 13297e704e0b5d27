import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Memories } from '../../../src/memory/memories.ts';
import { memoryTools, sessionSearchTool } from '../../../src/memory/memory-tools.ts';
import { noTaintedFiles } from '../../../src/protocol/ports/toolbox.ts';
import { scheduleJobTool } from '../../../src/schedule/schedule-job-tool.ts';
import { SkillLibrary } from '../../../src/skills/library.ts';
import { skillTool } from '../../../src/skills/skill-tool.ts';
import { builtinTools } from '../../../src/tools/builtin/index.ts';
import { builtinToolsets, expandTools, toolMatcher } from '../../../src/tools/registry/name-patterns.ts';

const tool = fc.constantFrom('a', 'b', 'c', 'd');
const search = () => Promise.reject(new Error('nobody searches'));
const sets = fc.dictionary(fc.constantFrom('x', 'y', 'math'), fc.array(tool), { minKeys: 1 });

describe('the built-in sets of tools', () => {
  it('hold every built-in tool once, and nothing else', () => {
    const memory = memoryTools({
      memory: new Memories({ isWatching: false, report() {} }),
      opened: '/nowhere',
      tainted: noTaintedFiles,
      redact: (text) => text,
      now: Date.now,
    });
    const skills = new SkillLibrary({ workspace: '/', env: {}, matcher: toolMatcher, scorer: () => [] });
    const scheduled = scheduleJobTool(undefined as never, { desk: null });
    const tools = [
      ...builtinTools(),
      ...memory,
      scheduled,
      sessionSearchTool({ search }),
      skillTool(() => skills),
    ];
    const names = tools.map(({ name }) => name);
    // Those of a shop come with one: test/shop/configured.test.ts.
    const { mcp, shop, ...own } = builtinToolsets;
    expect(shop).toHaveLength(9);
    expect(mcp).toEqual(['mcp__*']);
    expect(Object.values(own).flat().sort()).toEqual(names.sort());
  });
});

describe('a list of tools and sets', () => {
  it('stands for its tools and those of its sets, each once', () => {
    fc.assert(
      fc.property(sets, fc.array(tool), (sets, tools) => {
        const marks = Object.keys(sets).map((name) => `@${name}`);
        const expanded = expandTools([...tools, ...marks], sets);
        expect(new Set(expanded)).toEqual(new Set([...tools, ...Object.values(sets).flat()]));
        expect(expanded).toHaveLength(new Set(expanded).size);
        expect(expandTools(expanded, sets)).toEqual(expanded);
      }),
    );
  });

  it.each(['@nope', '@', '@toString', '@__proto__'])('with %s is refused', (name) => {
    expect(() => expandTools([name])).toThrow(expect.objectContaining({ code: 'UNKNOWN_TOOLSET' }));
  });
});

import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../src/index.ts';
import type { Config } from '../../../src/runtime/config/detent-options.ts';
import { validateConfig } from '../../../src/runtime/config/validate-config.ts';

const define = [
  defineTool({
    name: 'order',
    description: '',
    jsonSchema: { type: 'object' },
    sideEffect: 'unsafe',
    run: () => 1,
  }),
];
const problemsOf = (config: Config) => {
  try {
    validateConfig(config, 'it');
    return [];
  } catch (error) {
    return (error as { details: { problems: string[] } }).details.problems;
  }
};

describe('a list of tools in the configuration', () => {
  it.each([
    ['tools.allowed', { tools: { allowed: ['read_file', 'calclator'] } }],
    ['tools.disabled', { tools: { disabled: ['calclator'] } }],
    ['tools.allowed', { tools: { allowed: ['@mine'], sets: { mine: ['calclator'] } } }],
    ['agents.coder.tools', { agents: { coder: { tools: ['calclator'] } } }],
  ])('that names no tool in %s is an error with the nearest name', (path, config) => {
    expect(problemsOf(config)).toEqual([
      expect.stringContaining(`${path}: there is no tool "calclator"; did you mean "calculator"?`),
    ]);
  });

  it('may name own tools, sets, patterns, the shop, and tools of servers that nothing has asked yet', () => {
    const allowed = [
      'order',
      '@files',
      'mem*',
      'product_search',
      'mcp__github__search',
      'mcp__*',
      'no_such_*',
    ];
    expect(problemsOf({ tools: { define, allowed } })).toEqual([]);
    expect(problemsOf({ tools: { allowed: ['order'] } })).toEqual([expect.stringContaining('"order"')]);
  });
});

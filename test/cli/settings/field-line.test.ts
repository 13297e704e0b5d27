import { describe, expect, it } from 'vitest';
import { lineOfField } from '../../../src/cli/settings/field-line.ts';

const code = `import { defineConfig } from 'detent';

const other = { limits: { maxSteps: 1 } };

// limits: { maxSteps: 2 }
export default defineConfig({
  model: 'demo/demo', // model: no
  tools: {
    define: [make({ limits: {} }), { name: 'a}b' }],
    "allowed": ['read_file',
      'calclator'],
  },
  agents: {
    coder: { tools: [\`x\`] },
  },
  limits: {
    timeoutMs: 60 * (1000 + 1), maxSteps: -1,
  },
});
`;
const yaml = `model: demo/demo
tools:
  allowed:
    - read_file
    - calclator
limits: {timeoutMs: 1,
  maxSteps: -1}
`;
const json = '{\n  "model": "demo/demo",\n  "limits": {\n    "maxSteps": -1\n  }\n}\n';

describe('the line of a field', () => {
  it.each([
    ['config.ts', code, 'limits.maxSteps', 17],
    ['config.ts', code, 'limits.maxStep', 16],
    ['config.ts', code, 'tools.allowed', 10],
    ['config.ts', code, 'tools.allowed.1', 10],
    ['config.ts', code, 'agents.coder.tools', 14],
    ['config.ts', code, 'model', 7],
    ['config.ts', code, 'memory.recall', null],
    ['config.ts', "import { x } from './x.js';\nexport default x;\n", 'limits.maxSteps', null],
    ['config.yaml', yaml, 'limits.maxSteps', 7],
    ['config.yaml', yaml, 'tools.allowed.1', 5],
    ['config.yaml', yaml, 'tools.allowed', 3],
    ['config.yaml', yaml, 'memory', null],
    ['config.json', json, 'limits.maxSteps', 4],
    ['config.json', json, 'limits', 3],
  ])('in %s', (file, text, path, line) => {
    expect(lineOfField(file, text, path)).toBe(line);
  });
});

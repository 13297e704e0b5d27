import { describe, expect, it } from 'vitest';
import { lineOfField, literalOfField } from '../../../src/cli/settings/field-line.ts';

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

describe('the text of a field in a module', () => {
  it.each([
    ["export default { database: { file: 'data/runs.db' } };", 'data/runs.db'],
    [
      'export default defineConfig({\n  model: "demo/demo",\n  database: {\n    file: "a.db", // here\n  },\n});',
      'a.db',
    ],
    ['export default { database: { file: process.env.DB } };', null],
    ["export default { database: { file: dir + '/a.db' } };", null],
    ["export default { database: { file: 'a' + 'b' } };", null],
    ["export default { log: { file: 'a.log' }, database: {} };", null],
    ['export default config;', null],
  ])('%s', (text, found) => {
    expect(literalOfField(text, 'database.file')).toBe(found);
  });
});

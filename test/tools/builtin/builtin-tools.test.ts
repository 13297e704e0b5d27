import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { builtinTools } from '../../../src/tools/builtin/index.ts';
import { unitConvertTool } from '../../../src/tools/builtin/unit-convert.ts';
import { aliases, unitNotation } from '../../../src/tools/math/unit-names.ts';
import { createToolbox } from '../../../src/tools/toolbox.ts';
import { callTool, planContext } from '../helpers.ts';

describe('built-in tools', () => {
  const toolbox = createToolbox({ tools: builtinTools(), allowed: null });

  it.each([
    ['read_file', { path: 'a' }, 'run', 'readonly'],
    ['list_files', {}, 'run', 'readonly'],
    ['grep', { pattern: 'a' }, 'run', 'readonly'],
    ['http_get', { url: 'https://example.org/' }, 'run', 'readonly'],
    ['datetime', {}, 'run', 'readonly'],
    ['calculator', { expression: '1' }, 'run', 'readonly'],
    ['unit_convert', { value: 1, from: 'm', to: 'km' }, 'run', 'readonly'],
    ['write_file', { path: 'a', content: '' }, 'ask', 'probe'],
    ['edit_file', { path: 'a', old_text: 'a', new_text: 'b' }, 'ask', 'probe'],
    ['shell', { command: 'true' }, 'ask', 'unsafe'],
    ['shell_output', { id: 'a' }, 'run', 'readonly'],
    ['shell_kill', { id: 'a' }, 'run', 'idempotent'],
  ])('%s %j: %s, %s', async (name, args, gate, sideEffect) => {
    expect(await toolbox.plan(name, JSON.stringify(args), planContext())).toMatchObject({ gate, sideEffect });
  });

  it('are shown with closed schemas and a description of every parameter', () => {
    for (const { name, description, parameters } of toolbox.specs(null)) {
      expect(description.length, name).toBeLessThan(500);
      expect(parameters, name).toMatchObject({ type: 'object', additionalProperties: false });
    }
  });

  it('tell the time of the clock that is given', async () => {
    const datetime = builtinTools({ now: () => 0 }).find((tool) => tool.name === 'datetime');
    expect(datetime && (await callTool(datetime, { timezone: 'UTC' })).text).toMatch(
      /^1970-01-01T00:00:00\+00:00/,
    );
  });

  const loadedBy = (code: string) => {
    const script = `
      const urls = [];
      process.getBuiltinModule('module').registerHooks({
        load: (url, context, next) => (urls.push(url), next(url, context)),
      });
      const { createToolbox } = await import('./src/tools/toolbox.ts');
      ${code}
      console.log(urls.join('\\n'));`;
    return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  };

  it('load no mathjs and no JSON Schema validator before they are needed', () => {
    const loaded = loadedBy(`
      const { builtinTools } = await import('./src/tools/builtin/index.ts');
      createToolbox({ tools: builtinTools(), allowed: null }).specs(null);`);
    expect(loaded).toContain('/src/tools/builtin/');
    expect(loaded).not.toMatch(/mathjs\/lib|cfworker|undici|htmlparser2|re2js|\/diff\//);
  });

  it('are not loaded, and zod with them, by the toolbox alone', () => {
    const loaded = loadedBy(`createToolbox({ tools: [], allowed: null });`);
    expect(loaded).not.toMatch(/builtin|node_modules\/zod/);
  });
});

describe('names of units', () => {
  it('all lead to a unit that exists', async () => {
    const names = Object.entries(aliases).flatMap(([unit, others]) => [unit, ...others.split(' ')]);
    for (const name of names) {
      const { text } = await callTool(unitConvertTool(), { value: 1, from: name, to: name });
      expect(text, `${name} (${unitNotation(name)})`).toBe(`1 ${name}`);
    }
  });
});

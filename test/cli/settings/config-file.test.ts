import { mkdir, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

import { answering, bareWorkspace, by, newWorkspace } from '../../support/cli.ts';

/** Some in a process that loads nothing else: Node loads the modules of all. */
const ownProcess = { ownProcess: true };

const shout = `
import { defineConfig, defineTool } from 'detent';
import { z } from 'zod';

export default defineConfig({
  system: 'Shout.',
  tools: {
    define: [
      defineTool({
        name: 'shout',
        description: 'Says it louder.',
        parameters: z.object({ text: z.string() }),
        sideEffect: 'readonly',
        run: ({ text }) => text.toUpperCase(),
      }),
    ],
  },
});
`;

const shouting = [{ calls: [{ name: 'shout', arguments: { text: 'hey' } }] }, { text: 'HEY' }];

describe.concurrent('a configuration file', () => {
  it.each(['detent.config.ts', 'detent.config.js'])(
    '%s, far from the package, defines tools that the model can call',
    async (name) => {
      const workspace = await newWorkspace({ [name]: shout }, ownProcess);
      const provider = await answering(...shouting);
      const { code, view, stderr } = await workspace.json(['run', 'go', '--quiet', ...by(provider)]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(view.steps[0]?.toolCalls[0]).toMatchObject({ status: 'done', result: 'HEY' });
    },
  );

  it('in TypeScript may have types', async () => {
    const typed = `
      import { type Config, defineConfig } from 'detent';
      const config: Config = { system: 'Typed.' } satisfies Config;
      export default defineConfig(config);`;
    const workspace = await newWorkspace({ 'detent.config.ts': typed });
    const provider = await answering({ text: 'ok' });
    const { code } = await workspace.detent(['run', 'hi', ...by(provider)]);
    expect(code).toBe(0);
    expect(provider.requests[0]?.body.messages[0]).toMatchObject({ role: 'system', content: 'Typed.' });
  });

  it.each(['commonjs', 'module'])('works in a package of type %s', async (type) => {
    const workspace = await newWorkspace({
      'detent.config.ts': shout,
      'package.json': JSON.stringify({ name: 'host', type }),
    });
    const provider = await answering(...shouting);
    const { code, stderr } = await workspace.detent(['run', 'go', '--quiet', ...by(provider)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('may be written in CommonJS', async () => {
    const workspace = await newWorkspace({
      'detent.config.js': `module.exports = { system: 'Old school.' };`,
      'package.json': '{"type":"commonjs"}',
    });
    const provider = await answering({ text: 'ok' });
    await workspace.detent(['run', 'hi', ...by(provider)]);
    expect(provider.requests[0]?.body.messages[0]).toMatchObject({ content: 'Old school.' });
  });

  it('may be spread over several files', async () => {
    const workspace = await newWorkspace({
      'detent.config.ts': `
        import { defineConfig } from 'detent';
        import { system } from './system.ts';
        export default defineConfig({ system });`,
      'system.ts': `export const system: string = 'From another file.';`,
    });
    const provider = await answering({ text: 'ok' });
    await workspace.detent(['run', 'hi', ...by(provider)]);
    expect(provider.requests[0]?.body.messages[0]).toMatchObject({ content: 'From another file.' });
  });

  it('uses the zod of the project that it is in', async () => {
    const workspace = await newWorkspace({
      'detent.config.js': `import { marker } from 'zod'; export default { system: marker };`,
    });
    await mkdir(workspace.path('node_modules/zod'), { recursive: true });
    await writeFile(
      workspace.path('node_modules/zod/package.json'),
      '{"name":"zod","type":"module","exports":"./index.js"}',
    );
    await writeFile(workspace.path('node_modules/zod/index.js'), `export const marker = 'their zod';`);
    const provider = await answering({ text: 'ok' });
    const { stderr } = await workspace.detent(['run', 'hi', ...by(provider)]);
    expect(provider.requests[0]?.body.messages[0], stderr).toMatchObject({ content: 'their zod' });
  });

  it('can bring a model of its own, tested with the public helpers', async () => {
    const workspace = await newWorkspace({
      'detent.config.ts': `
        import { defineConfig } from 'detent';
        import { fakeClock } from 'detent/testing';
        if (typeof fakeClock !== 'function') throw new Error('no helpers');
        export default defineConfig({
          model: 'mine/echo',
          models: {
            mine: {
              async generate({ messages }) {
                return {
                  model: 'echo', text: 'you said ' + messages.at(-1).text, reasoning: '', refusal: '', toolCalls: [],
                  finishReason: 'stop', finish: 'stop', usage: null, error: null,
                };
              },
            },
          },
        });`,
    });
    const { code, stdout, stderr } = await workspace.detent(['run', 'hello']);
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: 'you said hello\n' });
  });

  it('is that of --workspace, wherever the command is run', async () => {
    const here = await newWorkspace();
    const there = await newWorkspace({ 'detent.config.json': '{"system":"There."}' });
    const provider = await answering({ text: 'ok' });
    const { code } = await here.detent(['run', 'hi', '--workspace', there.folder, ...by(provider)]);
    expect(code).toBe(0);
    expect(provider.requests[0]?.body.messages[0]).toMatchObject({ content: 'There.' });
    expect((await there.json<unknown[]>(['runs', 'list'])).view).toHaveLength(1);
  });

  it('names the place of the database from the workspace on', async () => {
    const workspace = await bareWorkspace({ 'detent.config.json': '{"database":{"file":"data/runs.db"}}' });
    const elsewhere = await newWorkspace();
    const options = { cwd: elsewhere.folder };
    const at = ['--workspace', workspace.folder];
    expect((await workspace.detent(['run', 'What is 1 + 1?', ...at], options)).code).toBe(0);
    const { view } = await workspace.json<unknown[]>(['runs', 'list', ...at], options);
    expect(view).toHaveLength(1);
    expect((await elsewhere.json<unknown[]>(['runs', 'list'])).view).toEqual([]);
  });
});

describe.concurrent('a bad configuration ends with 3 and says where it is bad', () => {
  const failing = async (files: Record<string, string>) => {
    const workspace = await newWorkspace(files);
    const ended = await workspace.detent(['run', 'hi']);
    expect(ended).toMatchObject({ code: 3, stdout: '' });
    expect(ended.stderr).not.toMatch(/^\s+at /m);
    return ended.stderr;
  };
  const json = (config: unknown) => ({ 'detent.config.json': JSON.stringify(config) });

  it.each([
    ['limits.maxSteps', { limits: { maxSteps: 'many' } }],
    ['limits.maxSteps', { limits: { maxSteps: 0 } }],
    ['limits.maxStep', { limits: { maxStep: 5 } }],
    ['modle', { modle: 'openai/gpt-5' }],
    ['model', { model: 'gpt-5' }],
    ['policy.approve', { policy: { approve: 'maybe' } }],
    ['policy.confirm.shell', { policy: { confirm: { shell: 'yes' } } }],
    ['models.house.baseUrl', { models: { house: { baseUrl: 'not a url' } } }],
    ['models.house.base_url', { models: { house: { base_url: 'http://127.0.0.1/v1' } } }],
    [
      'models.house.models.big.contextWindow',
      { models: { house: { models: { big: { contextWindow: -1 } } } } },
    ],
    ['tools.define.0', { tools: { define: [{ name: 'no tool' }] } }],
    ['tools.allowed', { tools: { allowed: 'read_file' } }],
    ['database.synchronous', { database: { synchronous: 'OFF' } }],
  ])('%s', async (path, config) => {
    const stderr = await failing(json(config));
    expect(stderr).toContain(`${path}:`);
    expect(stderr).toContain('detent.config.json');
  });

  it('all bad fields at once', async () => {
    const stderr = await failing(json({ system: 7, limits: { timeoutMs: -1 } }));
    expect(stderr).toContain('system:');
    expect(stderr).toContain('limits.timeoutMs:');
  });

  it('JSON that is none', async () => {
    expect(await failing({ 'detent.config.json': '{"model": ' })).toContain('not JSON');
  });

  it.each(['null', '[]', '"demo/demo"'])('JSON that is %s', async (text) => {
    expect(await failing({ 'detent.config.json': text })).toContain('detent.config.json');
  });

  it('two files', async () => {
    const stderr = await failing({ 'detent.config.json': '{}', 'detent.config.ts': 'export default {}' });
    expect(stderr).toContain('detent.config.json');
    expect(stderr).toContain('detent.config.ts');
  });

  it('a file that throws, with the line', async () => {
    const stderr = await failing({ 'detent.config.ts': `\n\nthrow new Error('no such house');\n` });
    expect(stderr).toContain('no such house');
    expect(stderr).toContain('detent.config.ts:3');
  });

  it('an imported file that throws, with its name and line', async () => {
    const stderr = await failing({
      'detent.config.ts': `import './my tool.ts';\nexport default {};`,
      'my tool.ts': `import { defineTool } from 'detent';\n\ndefineTool({ name: 'pay', sideEfect: 'unsafe' });`,
    });
    expect(stderr).toMatch(
      /detent\.config\.ts cannot be loaded: tool "pay" has no field .* \(at my tool\.ts:3:1\)/,
    );
  });

  it.each([
    ['a syntax error', 'export default {\n  system: "x"\n  model: "demo/demo",\n};', ''],
    ['what Node cannot strip', '\nexport enum Size { small }\n\n', ''],
    ['one of an imported file', 'import "./my tool.ts";\nexport default {};', ' (at my tool.ts:3)'],
  ])('%s, with the line', async (_, config, where) => {
    const stderr = await failing({ 'detent.config.ts': config, 'my tool.ts': '\n\nconst a b = 1;' });
    expect(stderr).toMatch(where === '' ? /detent\.config\.ts:[23] cannot be loaded/ : where);
  });

  it('an import that is not there', async () => {
    const stderr = await failing({ 'detent.config.ts': `import 'not-installed-here'; export default {};` });
    expect(stderr).toContain('not-installed-here');
  });

  it('no default export', async () => {
    expect(await failing({ 'detent.config.ts': `export const config = {};` })).toContain('export default');
  });

  it('a tool that cannot work', async () => {
    const stderr = await failing({
      'detent.config.ts': `
        import { defineTool } from 'detent';
        export default { tools: { define: [defineTool({ name: 'two words', run() {} })] } };`,
    });
    expect(stderr).toContain('two words');
  });

  it('two tools of one name', async () => {
    const tool = `defineTool({ name: 'datetime', description: 'x', jsonSchema: { type: 'object' }, sideEffect: 'readonly', run() {} })`;
    const stderr = await failing({
      'detent.config.ts': `import { defineTool } from 'detent'; export default { tools: { define: [${tool}] } };`,
    });
    expect(stderr).toContain('"datetime"');
  });

  it('a workspace that is not there, or no folder, with 4', async () => {
    const workspace = await newWorkspace({ file: '' });
    for (const name of ['missing', 'file']) {
      const ended = await workspace.detent(['run', 'hi', '--workspace', name]);
      expect(ended.code).toBe(4);
      expect(ended.stderr).toContain(workspace.path(name));
    }
  });
});

import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { parse } from 'yaml';
import { planFiles, type ReadFile } from '../../../../src/cli/commands/init/plan.ts';
import { type ConfigLanguage, renderConfig } from '../../../../src/cli/commands/init/render-config.ts';
import type { Config } from '../../../../src/index.ts';
import { configFields } from '../../../../src/protocol/config/list-fields.ts';
import { validateConfig } from '../../../../src/runtime/config/validate-config.ts';
import { startRequest } from '../../../../src/runtime/requests/run-request.ts';
import { bareWorkspace, type Workspace } from '../../../support/cli.ts';
import { itDeep, someOf } from '../../../support/deep.ts';
import { describeWith } from '../../../support/needs.ts';

const languages: ConfigLanguage[] = ['ts', 'yaml', 'json'];
const question = ['run', '--quiet', 'What is 1 + 1?'];

const execute = promisify(execFile);

async function initialised(...flags: string[]): Promise<Workspace> {
  const workspace = await bareWorkspace();
  expect(await workspace.detent(['init', ...flags])).toMatchObject({ code: 0, stderr: '' });
  return workspace;
}

const fileOf = (workspace: Workspace, name: string) => readFile(workspace.path(name), 'utf8');

const configFile = new URL('../../../../src/cli/settings/config-file.ts', import.meta.url).href;

/** The configuration of a workspace, as the command line loads it: in a process whose modules are not the tests'. */
async function configOf(workspace: Workspace): Promise<Config> {
  const file = JSON.stringify(workspace.path('detent.config.ts'));
  const script = `
    import { loadConfig, readSource } from '${configFile}';
    console.log(JSON.stringify(await loadConfig(await readSource(${file}), {}, null)));`;
  const { stdout } = await execute(process.execPath, ['--input-type=module', '-e', script]);
  return JSON.parse(stdout);
}

/** Uncomments every line of code, as a user would who wants every field. */
function uncommented(config: string): string {
  const sign = /^(\s*)(?:\/\/|#) ( *(?:(?:\w+|'\*'|"\*"):( |$)|\}|\/\/|#))/;
  return config
    .split('\n')
    .map((line) => line.replace(sign, '$1$2'))
    .join('\n');
}

describe.concurrent('init', () => {
  it('writes a configuration, a tool, a test, and what git leaves out; and says what comes next', async () => {
    const workspace = await bareWorkspace();
    const { code, stdout, stderr } = await workspace.detent(['init']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const names = [
      'tools/weather.ts',
      'machines/purchase.machine.ts',
      'test/agent.test.ts',
      'detent.config.ts',
      'package.json',
      '.gitignore',
    ];
    for (const name of names) {
      expect(stdout).toMatch(new RegExp(`^wrote  ${name} +new$`, 'm'));
      expect(await fileOf(workspace, name)).not.toBe('');
    }
    for (const step of [
      'detent run',
      'detent workflow start purchase',
      'node --test',
      'npm install',
      'detent doctor',
    ])
      expect(stdout).toContain(step);
  });

  it('makes the folder that it is given, and says how to get there', async () => {
    const workspace = await bareWorkspace();
    const { code, stdout } = await workspace.detent(['init', 'new/my agent']);
    expect(code).toBe(0);
    expect(stdout).toContain("cd 'new/my agent'");
    expect(await readdir(workspace.path('new/my agent'))).toContain('detent.config.ts');
  });

  it.each(someOf(['--ts', '--yaml', '--json'], 1))('%s: what it wrote works', async (flag) => {
    const workspace = await initialised(flag);
    const { code, stdout, stderr } = await workspace.detent(question);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('1 + 1 = 2');
    expect(await workspace.detent(['config', 'show'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('has an example workflow that runs at once, without trust, a model or an input', async () => {
    const workspace = await initialised('--yaml');
    const { code, stderr } = await workspace.detent(['workflow', 'start', 'purchase']);
    expect(code).toBe(5);
    expect(stderr).toContain('  approve: Buy a desk lamp for 45 EUR?\n');
    const answered = await workspace.detent(['workflow', 'answer', 'last', 'approve', '--approve']);
    expect(answered.code).toBe(0);
    expect(JSON.parse(answered.stdout)).toMatchObject({ item: 'a desk lamp', result: 'ordered' });
  });

  it('has the example tool in the configuration', async () => {
    const workspace = await initialised();
    const { tools } = await configOf(workspace);
    expect(tools?.define?.map(({ name }) => name)).toEqual(['weather']);
  });

  it('changes nothing when it is called again, and says what is there', async () => {
    const workspace = await initialised();
    await workspace.write('detent.config.ts', 'export default {};');
    await workspace.write('tools/weather.ts', '// mine now');
    const { code, stdout } = await workspace.detent(['init']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^kept {3}detent\.config\.ts +exists already; --force replaces it$/m);
    expect(stdout).toMatch(/^kept {3}\.gitignore +there already$/m);
    expect(stdout).toContain('nothing to do');
    expect(await fileOf(workspace, 'detent.config.ts')).toBe('export default {};');
    expect(await fileOf(workspace, 'tools/weather.ts')).toBe('// mine now');
  });

  it('offers no workflow and no test to a folder that had a configuration', async () => {
    const workspace = await bareWorkspace();
    await workspace.write('detent.config.ts', 'export default {};');
    const { stdout } = await workspace.detent(['init']);
    expect(stdout).toContain('Next:');
    expect(stdout).not.toMatch(/purchase|--test|npm test/);
  });

  it('--force replaces it', async () => {
    const workspace = await initialised();
    await workspace.write('detent.config.ts', 'export default {};');
    const { stdout } = await workspace.detent(['init', '--force']);
    expect(stdout).toMatch(/^wrote {2}detent\.config\.ts +replaced$/m);
    expect(await fileOf(workspace, 'detent.config.ts')).toBe(renderConfig('ts'));
  });

  it('leaves a workspace alone that has a configuration of another kind, but for .gitignore', async () => {
    const workspace = await bareWorkspace({ 'detent.config.json': '{}' });
    const { code, stdout } = await workspace.detent(['init']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^kept {3}detent\.config\.json/m);
    expect((await readdir(workspace.folder)).sort()).toEqual([
      '.gitignore',
      'detent.config.json',
      'package.json',
    ]);
    const forced = await workspace.detent(['init', '--force']);
    expect(forced).toMatchObject({ code: 2, stdout: '' });
    expect(forced.stderr).toContain('detent.config.json');
  });

  it('writes nothing at all where a file with other content is in its way', async () => {
    const workspace = await bareWorkspace();
    await mkdir(workspace.path('tools'));
    await workspace.write('tools/weather.ts', 'export const forecast = 1;');
    const ended = await workspace.detent(['init']);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('tools/weather.ts');
    expect(ended.stderr).toContain('--force');
    expect(await readdir(workspace.folder)).toEqual(['tools']);
  });

  it('completes what was begun: the configuration is written last', async () => {
    const workspace = await initialised();
    await rm(workspace.path('detent.config.ts'));
    const { stdout } = await workspace.detent(['init']);
    expect(stdout).toMatch(/^wrote {2}detent\.config\.ts +new$/m);
    expect(stdout).toMatch(/^kept {3}tools\/weather\.ts/m);
  });

  it('leaves what a package says, and tells how its test can run', async () => {
    const workspace = await bareWorkspace({ 'package.json': npmInit });
    const { stdout } = await workspace.detent(['init']);
    expect(stdout).toMatch(/^kept {3}package\.json +there already$/m);
    expect(stdout).toMatch(
      /^ {2}npm pkg set type=module scripts\.test="node --test" .*\n {2}(npm test|\S+ --test) /m,
    );
    expect(stdout).toMatch(/^ {2}npm install --save-dev typescript @types\/node /m);
    expect(await fileOf(workspace, 'package.json')).toBe(npmInit);
  });
});

const npmInit = '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"},"type":"commonjs"}';

describe('package.json', () => {
  const packaged = (before: string, others: Record<string, string> = {}) =>
    planFiles('ts', (path) => ({ 'package.json': before, ...others })[path], false).find(
      ({ path }) => path === 'package.json',
    );

  it.each([
    [
      '{\n\t"name": "x"\n}',
      '{\n\t"name": "x",\n\t"type": "module",\n\t"scripts": {\n\t\t"test": "node --test"\n\t}\n}\n',
    ],
    [
      '{"type":"module","scripts":{"a":"b"}}',
      '{\n  "type": "module",\n  "scripts": {\n    "a": "b",\n    "test": "node --test"\n  }\n}\n',
    ],
    ['{"type":"commonjs","scripts":{"test":"vitest"}}', undefined],
    [npmInit, undefined],
    ['[]', undefined],
  ])('%s gets what it lacks', (before, after) => {
    expect(packaged(before)?.content).toBe(after);
  });

  it('does not turn a program into a module', () => {
    const before = '{"main":"old.js","scripts":{"test":"x"}}';
    expect(packaged(before)?.note).toBe('added "type": "module"');
    expect(packaged(before, { 'old.js': 'module.exports = 1' })?.content).toBe(undefined);
  });
});

describeWith(process.getuid?.() === 0, 'only root can become somebody who may not write')(
  'init where nothing may be written',
  () => {
    it('says so, on one line', async () => {
      const workspace = await bareWorkspace();
      await chmod(workspace.folder, 0o755);
      const ended = await workspace.detent(['init'], { uid: 65_534 });
      expect(ended).toMatchObject({ code: 1, stdout: '' });
      expect(ended.stderr).toMatch(/writable/);
      expect(ended.stderr.trim().split('\n')).toHaveLength(1);
      expect(await readdir(workspace.folder)).toEqual([]);
    });
  },
);

describe('a written configuration', () => {
  /** Of these a shop has one. */
  const backends = ['checkoutPage', 'http', 'ucp'];

  /** The configuration with everything in force, and one backend of the shop. */
  async function everything(language: ConfigLanguage, backend = 'http'): Promise<Config> {
    const others = backends.filter((name) => name !== backend);
    const left = new RegExp(`^ *(?://|#) +(?:${others.join('|')}): .*\n`, 'gm');
    const text = uncommented(renderConfig(language).replace(left, ''));
    if (language === 'yaml') return validateConfig(parse(text), 'the file');
    const workspace = await initialised();
    await workspace.write('detent.config.ts', text);
    return configOf(workspace);
  }

  it.each(languages)('in %s is valid unchanged, and sets the system prompt alone', async (language) => {
    const text = renderConfig(language);
    if (language === 'ts') {
      const workspace = await initialised();
      expect(Object.keys(await configOf(workspace))).toEqual(['system', 'tools']);
    } else {
      const config = language === 'yaml' ? parse(text) : JSON.parse(text);
      expect(Object.keys(validateConfig(config, 'the file'))).toEqual(['system']);
    }
  });

  it.each(someOf(['yaml', 'ts'] as const, 1))(
    'in %s has every field that there is, valid when uncommented',
    async (language) => {
      const config = await everything(language);
      const others = await Promise.all(['ucp', 'checkoutPage'].map((name) => everything(language, name)));
      const isMissing = ({ path }: { path: string }) =>
        [config, ...others].every((one) => valueAt(one, path) === undefined);
      expect(
        configFields()
          .filter(isMissing)
          .map(({ path }) => path),
      ).toEqual([]);
      for (const path of [
        'models.local.baseUrl',
        'models.local.apiKeyEnv',
        'models.local.headers',
        'models.local.models.*.contextWindow',
        'models.local.models.*.maxOutputTokens',
        'models.local.models.*.price.cachedInputUsd',
        'tools.sets',
        'agents.brief.systemPrompt',
        'agents.brief.model',
        'agents.brief.tools',
        'agents.brief.limits',
        'policy.confirm',
      ])
        expect(valueAt(config, path), path).toBeDefined();
    },
  );

  it('has a comment above every field', () => {
    const lines = renderConfig('ts').split('\n');
    lines.forEach((line, i) => {
      if (!/^\s*(\/\/ )?\s*('?[\w*]+'?): /.test(line)) return;
      expect(lines[i - 1], line).toMatch(/^\s*(\/\/ +)?\/\/ \S/);
    });
  });

  it('shows the limits that are in force anyway', async () => {
    const { limits = {} } = await everything('ts');
    const { maxTokens, maxCostUsd, ...withDefaults } = limits;
    expect([maxTokens, maxCostUsd]).not.toContain(undefined);
    const limitsOf = (config: Config) =>
      startRequest('hello', {}, { model: 'demo/demo', ...config }, 'run_x').limits;
    expect(limitsOf({ limits: withDefaults })).toEqual(limitsOf({}));
  });
});

function valueAt(config: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], config);
}

describe('.gitignore', () => {
  const ignoring = (before: string | undefined) => {
    const read: ReadFile = (path) => (path === '.gitignore' ? before : undefined);
    const planned = planFiles('ts', read, false).find(({ path }) => path === '.gitignore');
    return planned?.content ?? before;
  };

  it.each([
    [undefined, 'node_modules/\n.detent/\n'],
    ['', 'node_modules/\n.detent/\n'],
    ['node_modules/\n', 'node_modules/\n.detent/\n'],
    ['**/node_modules', '**/node_modules\n.detent/\n'],
    ['node_modules\r\n*.log', 'node_modules\r\n*.log\r\n.detent/\r\n'],
    ['.detent\n', '.detent\nnode_modules/\n'],
    ['/.detent/\n/node_modules', '/.detent/\n/node_modules'],
    ['#.detent/\n', '#.detent/\nnode_modules/\n.detent/\n'],
  ])('%j becomes %j', (before, after) => {
    expect(ignoring(before)).toBe(after);
  });

  it('keeps what was there, and has the line once, however often it is asked', () => {
    const line = fc.oneof(fc.string(), fc.constantFrom('.detent/', 'node_modules/', '', '# notes'));
    const text = fc
      .tuple(fc.array(line), fc.constantFrom('\n', '\r\n'))
      .map(([lines, end]) => lines.join(end));
    fc.assert(
      fc.property(text, (before) => {
        const after = ignoring(before) ?? '';
        expect(after.startsWith(before)).toBe(true);
        expect(ignoring(after)).toBe(after);
      }),
    );
  });
});

describe('the written test', () => {
  it.each(someOf(languages, 1))('is green under node --test (%s)', async (language) => {
    const workspace = await initialised(`--${language}`);
    await install(workspace);
    const { stdout } = await nodeTest(workspace);
    expect(stdout).toMatch(/^# pass [12]$/m);
    expect(stdout).toMatch(/^# fail 0$/m);
  });

  itDeep('is red when the tool says something else', async () => {
    const workspace = await initialised();
    await install(workspace);
    const tool = await fileOf(workspace, 'tools/weather.ts');
    await workspace.write('tools/weather.ts', tool.replace('celsius: 7', 'celsius: 8'));
    await expect(nodeTest(workspace)).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^# fail 1$/m),
    });
  });

  async function install(workspace: Workspace): Promise<void> {
    await mkdir(workspace.path('node_modules'));
    await symlink(inject('program'), workspace.path('node_modules/detent'));
  }

  function nodeTest({ folder }: Workspace) {
    const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;
    return execute(process.execPath, ['--test', '--test-reporter=tap'], { cwd: folder, env });
  }
});

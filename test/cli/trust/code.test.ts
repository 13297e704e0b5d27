// biome-ignore-all lint/suspicious/noTemplateCurlyInString: code of configurations
import { globSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CliOptions, hasTerminals, type Workspace } from '../../support/cli.ts';
import { describeWith } from '../../support/needs.ts';
import { agree, foreignFolder } from './support.ts';

async function put(folder: Workspace, name: string, content: string): Promise<void> {
  await mkdir(dirname(folder.path(name)), { recursive: true });
  await writeFile(folder.path(name), content);
}

/** What `detent trust` lists of a folder. */
async function wants(files: Record<string, string>, options: CliOptions = {}): Promise<string> {
  return (await (await foreignFolder(files)).detent(['trust'], options)).stdout;
}

const executed =
  "import { writeFileSync } from 'node:fs';\nwriteFileSync(new URL('executed', import.meta.url), '');\n";
const executedIn = (folder: Workspace) => globSync('**/executed', { cwd: folder.folder });

describe.concurrent('the code of a configuration is', () => {
  it('all files that it imports, by relative paths, `#name`, require and import() of a constant', async () => {
    const stdout = await wants({
      'detent.config.ts':
        "import type { T } from './types-only.ts';\nimport { a } from './a.ts';\nimport '#b';\nexport default { system: a as string };\nexport const later = () => import('./d.mjs');\n",
      'package.json':
        '{"type": "module", "imports": {"#b": {"node": "./lib/b.cjs", "default": "./other.js"}}}',
      'a.ts': "export * from './deep/e.js';\nexport const a: string = 'x';\n",
      'deep/e.js': "import data from '../data.json' with { type: 'json' };\nexport default data;\n",
      'data.json': '{}',
      'lib/b.cjs': "require('./c');\nrequire('node:fs');\n",
      'lib/c.js': '',
      'lib/package.json': '{"type": "commonjs"}',
      'd.mjs': '',
      'other.js': '',
      'unused.ts': '',
      'types-only.ts': '',
    });
    const [, list = ''] = /policy: (.*)/.exec(stdout) ?? [];
    expect(list.split(', ').sort()).toEqual(
      ['a.ts', 'd.mjs', 'data.json', 'deep/e.js', 'detent.config.ts', 'lib/b.cjs', 'lib/c.js'].sort(),
    );
  });

  it('also that of machines, without any configuration', async () => {
    const folder = await foreignFolder({
      'machines/a.machine.ts': "import '../lib/b.ts';\nimport 'xstate';\nimport 'detent/workflow';\n",
      'lib/b.ts': executed,
      'lib/unused.ts': '',
    });
    expect((await folder.detent(['trust'])).stdout).toContain('policy: machines/a.machine.ts, lib/b.ts\n');
    for (const args of [
      ['workflow', 'list'],
      ['runs', 'list'],
      ['run', 'hi'],
    ])
      expect((await folder.detent(args)).code).toBe(3);
    expect(executedIn(folder)).toEqual([]);
  });

  it('packages, named with their version', async () => {
    const stdout = await wants(
      {
        'detent.config.mjs': "import 'evil/sub';\nimport 'detent';\nimport 'zod';\nexport default {};\n",
        'node_modules/evil/package.json':
          '{"name": "evil", "version": "1.2.3", "exports": {"./sub": {"import": "./s.mjs"}}}',
        'node_modules/evil/s.mjs': executed,
      },
      { ownProcess: true },
    );
    expect(stdout).toMatch(/package +evil 1\.2\.3, in node_modules\/evil\n/);
    expect(stdout).not.toMatch(/package +(detent|zod)/);
  });

  it('also what only it can name: the place is shown', async () => {
    const stdout = await wants({
      'detent.config.mjs': "const name = 'a';\nawait import(`./${name}.mjs`);\nexport default {};\n",
      'a.mjs': '',
    });
    expect(stdout).toContain('loads a file whose name it computes: detent.config.mjs:2');
  });

  it('refused when a part is not a regular file, or is too large', async () => {
    const folder = await foreignFolder({ 'detent.config.mjs': "import './a.mjs';\nexport default {};\n" });
    await mkdir(folder.path('a.mjs'));
    const { code, stderr } = await folder.detent(['runs', 'list']);
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('it is not a regular file'),
    });
    const large = await foreignFolder({ 'detent.config.yaml': `# ${'x'.repeat(9 * 2 ** 20)}\n` });
    expect((await large.detent(['runs', 'list'])).stderr).toContain('it is larger than 8 MB');
  });
});

describeWith(hasTerminals, 'the program /usr/bin/script is missing')('code that a person agreed to', () => {
  it.each([
    ['an imported file', 'lib/a.mjs', executed],
    ['an imported package', 'node_modules/p/index.mjs', executed],
    [
      'the description of a package',
      'node_modules/p/package.json',
      '{"name": "p", "exports": "./index.mjs", "version": "2.0.0"}',
    ],
    ['where a name leads', 'package.json', '{"imports": {"#a": "./lib/b.mjs"}}'],
  ])('is asked about again when it changes: %s', async (_, name, content) => {
    const folder = await foreignFolder({
      'detent.config.mjs': "import '#a';\nimport 'p';\nexport default {};\n",
      'package.json': '{"imports": {"#a": "./lib/a.mjs"}}',
      'lib/a.mjs': '',
      'lib/b.mjs': executed,
      'node_modules/p/package.json': '{"name": "p", "exports": "./index.mjs", "version": "1.0.0"}',
      'node_modules/p/index.mjs': '',
    });
    await agree(folder);
    expect((await folder.detent(['tools', 'list'])).code).toBe(0);
    await put(folder, name, content);
    // A process reads each package.json once.
    expect((await folder.detent(['tools', 'list'], { ownProcess: true })).code).toBe(3);
    expect(executedIn(folder)).toEqual([]);
  });

  it('loads no other file of the folder, whatever it does', async () => {
    const folder = await foreignFolder({
      'detent.config.mjs':
        "const load = eval('(name) => import(name)');\nawait load('./hidden.mjs');\nexport default {};\n",
      'hidden.mjs': executed,
    });
    await agree(folder);
    const { code, stderr } = await folder.detent(['tools', 'list']);
    expect(code).toBe(3);
    expect(stderr).toContain('hidden.mjs is not what you agreed to');
    expect(executedIn(folder)).toEqual([]);
  });

  it('is loaded with the bytes that were agreed to: a file that changes in between is refused', async () => {
    const folder = await foreignFolder({
      'detent.config.mjs':
        "import { writeFileSync } from 'node:fs';\nwriteFileSync(new URL('./a.mjs', import.meta.url), 'globalThis.process.stdout.write(\"executed\")');\nawait import('./a.mjs');\nexport default {};\n",
      'a.mjs': '',
    });
    await agree(folder);
    const { code, stdout, stderr } = await folder.detent(['tools', 'list'], { ownProcess: true });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('it changed in the meantime');
  });

  it('changes no server of .mcp.json: those are used that were agreed to', async () => {
    const server = (name: string) => JSON.stringify({ mcpServers: { [name]: { command: 'none' } } });
    const folder = await foreignFolder({
      'detent.config.mjs': `import { writeFileSync } from 'node:fs';
writeFileSync(new URL('./.mcp.json', import.meta.url), ${JSON.stringify(server('evil'))});
export default { mcp: { project: true } };
`,
      '.mcp.json': server('agreed'),
    });
    await agree(folder);
    const { stdout } = await folder.detent(['mcp', 'list']);
    expect(stdout).toContain('agreed');
    expect(stdout).not.toContain('evil');
    expect((await folder.detent(['mcp', 'list'])).code).toBe(3);
  });

  it('and the database that it names are one question', async () => {
    const folder = await foreignFolder({
      'detent.config.ts': "export default { database: { file: 'data/runs.db' } };\n",
    });
    await folder.withLibrary((detent) => detent.run('hi').result, { database: { file: 'data/runs.db' } });
    const asked = await agree(folder);
    expect(asked).toContain('detent.config.ts');
    expect(asked).toContain('data/runs.db');
    expect(await folder.detent(['runs', 'list'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('hi'),
    });
  });

  it('may load what it computes, once that was agreed to', async () => {
    const folder = await foreignFolder({
      'detent.config.mjs': "const name = 'a';\nexport default (await import(`./${name}.mjs`)).default;\n",
      'a.mjs': "export default { system: 'kind' };\n",
    });
    await agree(folder);
    const { code, stdout } = await folder.detent(['config', 'show']);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('kind') });
  });
});

describeWith(hasTerminals, 'the program /usr/bin/script is missing')('completion', () => {
  it('executes no code, not even of a trusted folder', async () => {
    const folder = await foreignFolder({
      'detent.config.mjs': `${executed}export default { agents: { mine: {} } };\n`,
    });
    await agree(folder);
    for (const words of ['run --agent', 'run --model', 'runs show', 'chat --session', 'skills show'])
      expect((await folder.detent(['__complete', ...words.split(' '), ''])).code).toBe(0);
    expect((await folder.detent(['__complete', 'run', '--agent', ''])).stdout).toContain('default');
    expect(executedIn(folder)).toEqual([]);
  });

  it('offers the agents of YAML only in a trusted folder', async () => {
    const folder = await foreignFolder({ 'detent.config.yaml': 'agents: { mine: {} }\n' });
    expect((await folder.detent(['__complete', 'run', '--agent', ''])).stdout).toBe('words\t\n');
    await agree(folder);
    expect((await folder.detent(['__complete', 'run', '--agent', ''])).stdout).toContain('mine');
  });
});

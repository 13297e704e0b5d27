import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { withDrawings } from '../../scripts/draw-statechart.ts';
import { cliReference } from '../../scripts/write-cli-reference.ts';
import { withFieldTables } from '../../scripts/write-config-reference.ts';
import { withSizes } from '../../scripts/write-scale-reference.ts';
import { withStays } from '../../scripts/write-stays.ts';
import { exit } from '../../src/cli/terminal/exit-codes.ts';
import { presets } from '../../src/models/catalogue/presets.ts';
import { checkConfig } from '../../src/protocol/config/config.ts';
import { configFields } from '../../src/protocol/config/list-fields.ts';
import { DetentError } from '../../src/protocol/error.ts';
import { answering } from '../support/cli.ts';
import { describeDeep } from '../support/deep.ts';
import { inSizes, isDeep } from '../support/size.ts';
import {
  type Block,
  blocksOf,
  deadLinks,
  documents,
  linksOutOf,
  packedFiles,
  read,
  root,
  rowsOf,
} from './markdown.ts';
import { newTerminal, playSession, type Terminal } from './terminal.ts';
import { machineOf, newProject, type Project, type Ran, runFiles } from './typescript.ts';

const execute = promisify(execFile);

vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

const isConfig = ({ text }: { text: string }) => text.startsWith('// detent.config.ts\n');

describe('the TypeScript of the documents', () => {
  const blocks = documents.flatMap((document) => blocksOf(document, 'ts'));
  const programs = blocks.filter((block) => !isConfig(block));
  const configs = blocks.filter(isConfig);
  let project: Project;
  beforeAll(async () => {
    project = await newProject(blocks);
  });

  it('is there', () => {
    expect(programs.length).toBeGreaterThan(5);
    expect(configs.length).toBeGreaterThan(1);
  });

  // That they compile, against the types of the published package, is tested with those (test/package/published.test.ts).
  describe('run in one process', () => {
    /** Those of the pages that a newcomer reads first, every day. */
    const run = programs.filter(
      ({ place }) => isDeep || /^(README|docs\/(getting-started|workflows))\.md/.test(place),
    );
    const fileOf = ({ place }: Block) => project.files.get(place) ?? '';
    let ran: Ran;
    beforeAll(async () => {
      ran = await runFiles(project, run.map(fileOf));
    });

    it.each(run)('$place comes to its end', (block) => {
      expect(ran.endings.get(fileOf(block))).toBe(null);
    });

    it('leaves nothing open, so that the process ends', () => {
      expect(ran).toMatchObject({ code: 0 });
    });
  });

  it.concurrent.each(configs)('$place is a configuration', async ({ place }) => {
    const terminal = await newTerminal();
    await cp(join(project.folder, project.files.get(place) ?? ''), join(terminal.folder, 'detent.config.ts'));
    const { code, lines } = await terminal.type('detent run --model demo/demo "What is 17 * 23?"');
    expect(lines.join('\n')).toContain('17 * 23 = 391');
    expect(code).toBe(0);
  });
});

describe('the JSON and YAML of the configuration', () => {
  const blocks = ['json', 'yaml'].flatMap((language) => blocksOf('docs/configuration.md', language));

  it('are there', () => {
    expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(['json', 'yaml']));
  });

  it.concurrent.each(blocks)('$place is a configuration', async ({ language, text }) => {
    const terminal = await newTerminal();
    await writeFile(join(terminal.folder, `detent.config.${language}`), text);
    const needed = [...text.matchAll(/(?<!\$)\$\{([A-Z]+)\}/g)].map(([, name = '']) => [name, 'blue']);
    const env = Object.fromEntries(needed);
    for (const agent of await agentsOf(terminal, env)) {
      const command = `detent run --agent ${agent} --model demo/demo --tools calculator,list_files`;
      const { code, lines } = await terminal.type(`${command} "What can you do?"`, { env });
      expect({ code, lines }).toMatchObject({ code: 0 });
    }
  });

  /** The agents that a configuration has, by what `detent config show` says of it. */
  async function agentsOf(terminal: Terminal, env: Record<string, string>): Promise<Set<string>> {
    const { code, lines } = await terminal.type('detent config show --json', { env });
    expect({ code, lines }).toMatchObject({ code: 0 });
    const { values } = JSON.parse(lines[0] ?? '') as { values: Record<string, unknown> };
    const names = Object.keys(values).flatMap((path) => /^agents\.(\w+)\./.exec(path)?.[1] ?? []);
    return new Set(['default', ...names]);
  }
});

describe('the sessions of the documents', () => {
  const all = documents.filter((document) => blocksOf(document, 'console').length > 0);
  const shown = inSizes({ usual: ['README.md'], deep: all, full: all });

  it('are there', () => {
    expect(blocksOf('README.md', 'console').length).toBeGreaterThan(3);
    expect(blocksOf('docs/getting-started.md', 'console').length).toBeGreaterThan(3);
  });

  it.concurrent.each(shown)('of %s come out as they are shown', async (document) => {
    const terminal = await newTerminal();
    await writeMachines(terminal.folder, document);
    const ids = new Map<string, string>();
    for (const { place, text } of blocksOf(document, 'console'))
      expect({ place, missing: await playSession(text, terminal, ids) }).toEqual({ place, missing: [] });
  });
});

/** Saves the machines of a document as it says. */
async function writeMachines(folder: string, document: string): Promise<void> {
  for (const block of blocksOf(document, 'ts')) {
    const name = machineOf(block);
    if (name === undefined) continue;
    await mkdir(join(folder, dirname(name)), { recursive: true });
    await writeFile(join(folder, name), block.text);
  }
}

describe('the commands that documents name', () => {
  const blocks = [
    'README.md',
    'docs/getting-started.md',
    'docs/durability.md',
    'docs/learn/README.md',
  ].flatMap((name) => blocksOf(name, 'sh'));
  const lines = blocks.flatMap(({ text }) => text.trim().split('\n'));
  const named = lines
    .map((line) => line.replace(/ +#.*$/, ''))
    .filter((line) => /^([A-Z_]+=\S+ )?detent /.test(line));
  const commands = [...new Set(named)];

  it('are there', () => {
    expect(commands.length).toBeGreaterThan(6);
  });

  it.concurrent.each(commands)('%s', async (command) => {
    const terminal = await newTerminal();
    const provider = await answering({ text: 'hello' });
    // Every server that is named or meant is this one.
    const [base = '', asked] = [command.replace(/ --base-url \S+/, ''), / run /.test(command)];
    const typed = asked ? `${base} --base-url ${provider.baseUrl}` : base;
    const { code, lines: said } = await terminal.type(typed, { env: { EXAMPLE_KEY: 'sk-0123456789abcdef' } });
    // Ids in capitals stand for real ones: understood, and not found.
    expect({ code, said }).toMatchObject({ code: /\bRUN\b/.test(command) ? exit.notFound : exit.ok });
    if (asked) expect(said).toContain('hello');
  });

  it('of npm are scripts', () => {
    const named = documents.flatMap((document) =>
      blocksOf(document, 'sh').flatMap(({ text }) => [...text.matchAll(/^npm (?:run )?(?:-s )?([a-z:]+)/gm)]),
    );
    expect(named.length).toBeGreaterThan(5);
    for (const [, script] of named) expect(Object.keys(packageJson.scripts)).toContain(script);
  });
});

describe('the way to get Detent', () => {
  it('gives every folder a command that needs nothing of the machine but a shell', async () => {
    const [block] = blocksOf('docs/install.md', 'sh');
    const home = await mkdtemp(join(tmpdir(), 'detent-home-'));
    onTestFinished(() => rm(home, { recursive: true }));
    await execute('/bin/sh', ['-ec', block?.text ?? ''], { cwd: root, env: { ...process.env, HOME: home } });
    const { stdout } = await execute(join(home, '.local/bin/detent'), ['--version'], { cwd: home, env: {} });
    expect(stdout).toBe(`${packageJson.version}\n`);
  });

  it('names the file that is packed, and no document takes Detent from npm', () => {
    expect(read('docs/install.md')).toContain(`detent-${packageJson.version}.tgz`);
    const taken = documents.filter((name) => /npm (?:i|install) (?:[\w-]+ )*detent\b(?!\/)/.test(read(name)));
    expect(taken).toEqual([]);
  });
});

describe('the lessons', () => {
  const lessons = documents.filter((name) => /^docs\/learn\/\d/.test(name));

  it('are six', () => {
    expect(lessons).toHaveLength(6);
  });

  it.each(lessons)('%s is short, with a picture, a command and an experiment', (lesson) => {
    const text = read(lesson);
    expect(text.split('\n').length).toBeLessThanOrEqual(91);
    expect(text).toContain(`](${basename(lesson, '.md')}.svg)`);
    const [, command, experiment] = text.split(/^## The (?:command|experiment)$/m);
    for (const part of [command, experiment]) expect(part).toMatch(/^```console\n\$ /m);
  });

  it.each(lessons)('the picture of %s says in words what it shows', (lesson) => {
    const picture = read(lesson.replace(/md$/, 'svg'));
    expect(picture).toMatch(/^<svg [^>]*role="img" aria-labelledby="title desc"/);
    expect(picture).toMatch(/<desc id="desc">[^<]{60,}<\/desc>/);
    expect(picture).toContain('prefers-color-scheme: dark');
  });
});

describe('the tables of the documents', () => {
  it('have every exit code', () => {
    const codes = [...read('docs/cli.md').matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    expect(codes).toEqual(Object.values(exit).sort((a, b) => a - b));
  });

  it('have every provider, its key and its model, in the order in which keys are looked for', () => {
    const rows = rowsOf(read('docs/providers.md')).filter(([name]) => Object.hasOwn(presets, name ?? ''));
    expect(rows.map(([name]) => name)).toEqual(Object.keys(presets));
    for (const [name = '', , , key = '', model = ''] of rows) {
      const { apiKeyEnv, defaultModel } = presets[name] ?? {};
      if (defaultModel) expect([key, model]).toEqual([apiKeyEnv, defaultModel]);
      else expect(key).toContain(apiKeyEnv);
    }
  });

  it('name every field that the configuration has, and no other', () => {
    const fields = rowsOf(read('docs/configuration.md')).map(([field = '']) => field);
    expect(fields.length).toBeGreaterThan(25);
    for (const path of fields) expect(problemWith(path), path).not.toMatch(/there is no such field/);
    for (const { path } of configFields()) expect(fields).toContain(path);
  });

  it('give a line to every dependency, and to none that is not there', () => {
    const rows = rowsOf(read('docs/dependencies.md')).map(([name]) => name);
    const { dependencies, peerDependencies, devDependencies } = packageJson;
    const expected = [dependencies, peerDependencies, devDependencies].flatMap((each) => Object.keys(each));
    expect([...rows].sort()).toEqual(expected.sort());
  });
});

describe('the documents', () => {
  it.each(documents)('%s has no dead links', (document) => {
    expect(deadLinks(document)).toEqual([]);
  });

  it('are short where a newcomer begins', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(251);
  });

  it('are all in the index', () => {
    for (const folder of ['docs', 'docs/learn']) {
      const index = `${folder}/README.md`;
      for (const document of documents.filter((name) => dirname(name) === folder))
        if (document !== index) expect(read(index)).toContain(`(${basename(document)})`);
    }
    expect(read('docs/README.md')).toContain('(learn/README.md)');
  });

  it('of the package have no link out of it', async () => {
    const packed = await packedFiles();
    const shipped = documents.filter((document) => packed.has(document));
    expect(shipped).toContain('README.md');
    expect(shipped.flatMap((document) => linksOutOf(document, packed))).toEqual([]);
  });

  it('name only files that exist where they say where a change goes', () => {
    const named = [
      ...read('docs/architecture.md').matchAll(/`((?:src|machines|test|scripts|docs)\/[^`\s<…]*)`/g),
    ];
    const paths = named.map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(50);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it.each(['README.md', 'docs/architecture.md'])('%s shows the statechart as it is', (document) => {
    expect(withDrawings(read(document)) === read(document), 'node scripts/draw-statechart.ts').toBe(true);
  });

  describeDeep('docs/architecture.md', () => {
    // On a busy machine what arrives together elsewhere arrives in turn, and a way passes through other functions.
    it('lists the functions that the work passes through', { retry: 2 }, async () => {
      const text = read('docs/architecture.md');
      expect(await withStays(text), 'node scripts/write-stays.ts').toBe(text);
    });
  });

  it.each([
    ['prompt', 24],
    ['decision', 14],
    ['slot', 16],
    ['event', 18],
  ])('docs/architecture.md has a way of a %s of at most %i functions', (name, most) => {
    const [, stays] =
      new RegExp(`<!-- stays: ${name} -->\n\`\`\`text\n(\\d+) stays\n`).exec(read('docs/architecture.md')) ??
      [];
    expect(Number(stays)).toBeLessThanOrEqual(most);
  });

  it('docs/cli.md is what the commands say of themselves', async () => {
    expect((await cliReference()) === read('docs/cli.md'), 'node scripts/write-cli-reference.ts').toBe(true);
  });

  it('docs/cli.md lists once what several commands take, and names it below each of them', () => {
    const [list = ''] = /^## detent runs list$[\s\S]*?(?=^## )/m.exec(read('docs/cli.md')) ?? [];
    expect(list).toContain('--limit <N>');
    const groups = ['[Place options](#place-options)', '[Gateway options](#gateway-options)'];
    expect(list).toContain(`Common options: ${groups.join(', ')}, [JSON option](#json-option).`);
    // In the group of most commands, and in that of commands whose --workspace is that of a tenant.
    const listed = [...read('docs/cli.md').matchAll(/^ {2}(--(?:db|max-steps|budget|quiet)) .*$/gm)];
    // Limits are of a run, and of each run of a job.
    const limits = ['--max-steps', '--budget'];
    expect(listed.map(([, flag]) => flag)).toEqual(['--db', '--db', ...limits, ...limits, '--quiet']);
  });
});

it('the sizes of many machines are those that are computed', () => {
  const text = read('docs/scale.md');
  expect(text).toContain('| runs a day | 10,000 | 1,000,000 | 10,000,000 |');
  expect(withSizes(text) === text, 'node scripts/write-scale-reference.ts').toBe(true);
});

describe('the tables of configuration fields', () => {
  it.each(['docs/configuration.md', 'docs/mcp.md'])('%s has them as the fields are declared', (document) => {
    const text = read(document);
    expect(text).toMatch(/<!-- fields: \S+ -->/);
    expect(withFieldTables(text) === text, 'node scripts/write-config-reference.ts').toBe(true);
  });
});

/** What a configuration with an impossible value at this path is told. */
function problemWith(path: string): string {
  const keys = path.split('.');
  const config = keys.reduceRight<unknown>((value, key) => ({ [key]: value }), Symbol('impossible'));
  try {
    checkConfig(config, 'test');
    throw new Error(`${path} takes anything`);
  } catch (error) {
    if (DetentError.is(error)) return error.message;
    throw error;
  }
}

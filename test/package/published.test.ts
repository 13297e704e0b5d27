import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { builtinModules, createRequire, SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { init, parse } from 'es-module-lexer';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundle, ownModules } from '../../scripts/build/bundle.ts';
import { copyPage } from '../../scripts/build/page.ts';
import { writeTypes } from '../../scripts/build/types.ts';
import { blocksOf, documents } from '../docs/markdown.ts';
import { writePrograms } from '../docs/typescript.ts';
import { afterwards } from '../support/afterwards.ts';
import { packagesOf } from '../support/loaded-modules.ts';
import { describeWith } from '../support/needs.ts';
import { isFullSize } from '../support/size.ts';

const root = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
const tsc = [
  join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc'),
  // Several threads take half as much time again of all cores, which other tests share.
  '--singleThreaded',
];

interface Manifest {
  exports: Record<string, unknown>;
  files: string[];
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
}

const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest;

/** What a file of types imports, as `tsc` writes it. */
const imported = /\b(?:from|import)\s*\(?\s*["']([^"'\s]+)["']/g;

/** What a user's program does with each entry of the package. */
const consumer = `
import { createDetent, defineConfig, defineTool, DetentError, type RunView, ToolFailure } from 'detent';
import { type Client, ClientError, createClient } from 'detent/client';
import { createClient as forPages } from 'detent/client.min.js';
import { type Core, createCore, type SqlDriver } from 'detent/core';
import { type GatewayInspector, inspect } from 'detent/inspect';
import type { DetentTables } from 'detent/kysely';
import { runMachine } from 'detent/machines';
import { openPostgres } from 'detent/postgres';
import { createScheduler, type JobInput, type JobView, nextTimes } from 'detent/schedule';
import { type Backend, DetentClient, overDetent, RunEnd } from 'detent/sdk';
import { openShop, type ShopApi } from 'detent/shop';
import { fakeClock, scriptedModel, transitionPaths } from 'detent/testing';
import { agent, ask, checkWorkflow, type Finding, step, workflow } from 'detent/workflow';
import { setup } from 'xstate';
import { z } from 'zod';

const order = defineTool({
  name: 'order',
  description: 'Orders fruit.',
  parameters: z.object({ fruit: z.string(), amount: z.number().int() }),
  sideEffect: 'unsafe',
  run({ fruit, amount }, { signal }) {
    if (amount > 9 || signal.aborted) throw new ToolFailure('OUT_OF_STOCK', fruit);
    return { ordered: amount.toFixed(0) };
  },
});
export async function answers(client: Client = createClient({ url: 'http://127.0.0.1:7420', token: 't' })) {
  const run = client.run('hi', { sessionId: 's', signal: AbortSignal.timeout(9) });
  for await (const one of run.events) if (one.event === 'assistant.delta') console.log(one.payload.content);
  const { sessions } = await client.request('session.list');
  return ClientError.is(client.error) ? [] : [...sessions.map((one) => one.sessionId), (await run.result).text];
}
export const onServer = async (url: string) => createDetent({ store: await openPostgres({ url }) });
export const app: DetentClient = new DetentClient(overDetent(createDetent()) satisfies Backend);
export const isEnd = (message: unknown): boolean => message instanceof RunEnd;
export const onPage: typeof createClient = forPages;
export const shop: ShopApi = openShop({ file: ':memory:' }).api;
export const inApp = (storage: SqlDriver): Core => createCore({ host: { storage }, models: {}, tools: { define: [order] } });
export const stateOf = ({ state }: DetentTables['runs']): string => state;
export const shown: GatewayInspector = inspect({ url: 'http://127.0.0.1:7420', token: () => 't', sender: 'shop' });
const chart = setup({
  types: { input: {} as { fruit: string }, context: {} as { fruit: string } },
  actors: {
    judge: agent({ prompt: (fruit: string) => fruit, output: z.object({ ripe: z.boolean() }) }),
    approve: ask({ question: ({ fruit }: { fruit: string }) => fruit }),
    buy: step({ sideEffect: 'idempotent', run: (fruit: string, { idempotencyKey }) => fruit + idempotencyKey }),
  },
}).createMachine({
  id: 'fruit',
  version: '1',
  context: ({ input }) => input,
  initial: 'judging',
  states: {
    judging: {
      invoke: {
        src: 'judge',
        input: ({ context }) => context.fruit,
        onDone: { guard: ({ event }) => event.output.ripe, target: 'over' },
      },
    },
    over: { type: 'final' },
  },
});
const fruit = workflow(chart, { input: z.object({ fruit: z.string() }) });
export const findings: Finding[] = checkWorkflow(fruit);
export async function buys(): Promise<RunView> {
  const detent = createDetent({ workflows: [fruit] });
  const run = detent.workflows.start(fruit, { fruit: 'fig' }, { idempotencyKey: 'k' });
  await detent.workflows.answer(run.runId, 'approve', { approved: true });
  return run.result;
}
export default defineConfig({ model: 'test/a', limits: { maxSteps: 3 } });
export async function jobs(detent: ReturnType<typeof createDetent>): Promise<JobView[]> {
  const scheduler = createScheduler(detent, { timeZone: 'Europe/Berlin' });
  const job: JobInput = { jobId: 'daily', cron: '0 9 * * 1-5', prompt: 'Sum up.', delivery: 'console' };
  await scheduler.add(job);
  const [first = 0] = nextTimes('0 0 9 * * ?', { from: Date.now(), count: 1 });
  return first > 0 ? scheduler.list() : [];
}
export async function main(): Promise<RunView> {
  const models = { test: scriptedModel([{ text: 'hello' }]) };
  const detent = createDetent({ store: 'in-process', models, tools: { define: [order] }, clock: fakeClock() });
  for await (const signal of detent.run('hi').events) if (signal.type === 'delta') break;
  try {
    return await detent.run('hi', { sessionId: 'k' }).result;
  } catch (error) {
    if (DetentError.is(error)) console.log(error.code, runMachine.id, transitionPaths);
    throw error;
  } finally {
    await detent.close();
  }
}
`;

/** What a server of each framework does with the entries for it. */
const servers = `
import { createServer } from 'node:http';
import { serve } from '@hono/node-server';
import { createDetent } from 'detent';
import { gatewayForExpress } from 'detent/express';
import { gatewayForFastify } from 'detent/fastify';
import { type Authenticate, createGateway } from 'detent/gateway';
import { gatewayForHono } from 'detent/hono';
import { gatewayListener, serveWebSockets } from 'detent/node';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';

const authenticate: Authenticate = (token) => (token === '' ? null : { tenantId: 1, userId: token, scopes: ['read'] });
const gateway = createGateway(createDetent(), { prefix: '/agent', authenticate });
express().use(gatewayForExpress(gateway, { address: ({ ip }) => ip }));
fastify().register(gatewayForFastify(gateway));
fastify({ http2: true }).register(gatewayForFastify(gateway));
serveWebSockets(serve(new Hono().use(gatewayForHono(gateway))), gateway);
serveWebSockets(createServer(gatewayListener(gateway)), gateway);
`;

/** Every entry, also those that neither of the programs uses. */
const everyEntry = Object.keys(manifest.exports)
  .filter((path) => path !== './package.json')
  .map((path, index) => `export * as entry${index} from 'detent${path.slice(1)}';`)
  .join('\n');

/** TypeScript's defaults, but for what each line says; `skipLibCheck` is false. */
const settings: readonly { by: string; options: object; nodeTypes: boolean }[] = [
  {
    by: 'nodenext with the types of Node and without those of browsers',
    options: { module: 'nodenext', lib: ['es2024', 'esnext.disposable'], types: ['node'] },
    nodeTypes: true,
  },
  {
    by: 'a bundler with further strict checks',
    options: {
      module: 'esnext',
      moduleResolution: 'bundler',
      noUncheckedIndexedAccess: true,
      noPropertyAccessFromIndexSignature: true,
      verbatimModuleSyntax: true,
      isolatedModules: true,
    },
    nodeTypes: false,
  },
];

/** What a process loads. */
interface Loaded {
  files: string[];
  kilobytes: number;
  packages: string[];
}

/** A Node of this machine that is too old for Detent, if it has one. */
const olderNode = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .find((file) => /^v(?:1\d|2[0-3])\./.test(spawnSync(file, ['--version']).stdout?.toString() ?? ''));

/** The package as npm would publish it. */
let tarball: Buffer;
/** The same, unpacked into the `node_modules` of a user's project, beside its own dependencies and no others. */
let project: string;

beforeAll(async () => {
  const built = await emptyFolder();
  for (const name of ['package.json', ...manifest.files.filter((file) => file !== 'dist')])
    await cp(join(root, name), join(built, name), { recursive: true });
  await bundle(ownModules, join(built, 'dist'));
  await copyPage(join(built, 'dist'));
  writeTypes(ownModules, join(built, 'dist'));
  project = await emptyFolder();
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', project], { cwd: built });
  const [packed = ''] = await readdir(project);
  tarball = await readFile(join(project, packed));
  const own = join(project, 'node_modules/detent');
  await mkdir(own, { recursive: true });
  await run('tar', ['xzf', join(project, packed), '-C', own, '--strip-components', '1']);
  for (const name of Object.keys(manifest.dependencies)) await link(name, join(project, 'node_modules'));
  await writeFile(join(project, 'package.json'), '{"type":"module"}');
  await writeFile(join(project, 'consumer.ts'), consumer);
  // It builds and packs all of it: on a busy machine that takes long.
}, 300_000);

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'detent-package-'));
  afterwards(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function link(name: string, folder: string): Promise<void> {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await symlink(join(root, 'node_modules', name), join(folder, name));
}

describe('the published package', () => {
  it.each(settings)('compiles in a strict program by $by', async ({ options, nodeTypes }) => {
    const config = {
      compilerOptions: { target: 'es2024', strict: true, noEmit: true, types: [], ...options },
      files: ['consumer.ts'],
    };
    const types = join(project, 'node_modules/@types');
    if (nodeTypes) for (const name of ['@types/node', 'undici-types']) await link(name, join(types, '..'));
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config));
    const { stdout } = await run(process.execPath, [...tsc, '-p', project]).catch((error) => error);
    expect(stdout).toBe('');
  });

  it('compiles in servers of each framework, and in the programs of the documents', async () => {
    const folder = join(project, 'programs');
    for (const name of [
      '@types',
      'undici-types',
      'better-sqlite3',
      'express',
      'fastify',
      'hono',
      '@hono',
      'kysely',
      'openai',
    ])
      await link(name, join(folder, 'node_modules'));
    const blocks = documents.flatMap((document) => blocksOf(document, 'ts'));
    expect(blocks.length).toBeGreaterThan(5);
    await writePrograms(folder, blocks);
    await writeFile(join(folder, 'servers.ts'), servers + everyEntry);
    // As strict as this repository, and without its libraries' own types, which do not all check.
    await cp(join(project, 'node_modules/detent/examples'), join(folder, 'examples'), { recursive: true });
    const config = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { rootDir: '.' },
      include: ['*.ts', 'machines/*.ts', 'examples/**/*.ts'],
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const compiled = run(process.execPath, [...tsc, '-p', folder]);
    expect(await compiled.catch((error) => error)).toMatchObject({ stdout: '' });
  });

  it.each(['detent', 'detent/testing', 'its command line'])(
    'says to an older Node that it needs 24: %s',
    async (entry) => {
      const versions = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`;
      const older = ['--import', `data:text/javascript,${encodeURIComponent(versions)}`];
      const what = entry.startsWith('detent')
        ? ['--input-type=module', '-e', `import '${entry}'`]
        : [join(project, 'node_modules/detent/dist/src/cli/main.js'), '--version'];
      const { code, stderr } = await run(process.execPath, [...older, ...what], { cwd: project }).catch(
        (error) => error,
      );
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('needs Node 24 or newer, and this is Node 20.20.2'),
      ]);
    },
  );

  it.each([
    ['own-tool.ts', /-3/],
    ['confirm-later.ts', /milk and eggs\n$/],
    ['daily-job.ts', /^slot \d+: ok, run_/m],
    ['read-runs.ts', /^errands: .*awaitingConfirm/m],
    ['test-your-agent.test.ts', /^# fail 0$/m],
  ])('runs its example %s from a copy', async (name, said) => {
    const folder = await emptyFolder();
    await cp(join(project, 'node_modules/detent/examples'), folder, { recursive: true });
    await mkdir(join(folder, 'node_modules'));
    await symlink(join(project, 'node_modules/detent'), join(folder, 'node_modules/detent'));
    for (const name of ['better-sqlite3', 'kysely', 'xstate', 'zod'])
      await link(name, join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;
    const test = name.endsWith('.test.ts') ? ['--test', '--test-reporter=tap'] : [];
    const { stdout } = await run(process.execPath, [...test, name], { cwd: folder, env });
    expect(stdout).toMatch(said);
  });

  it('sets up a project whose types check, and whose "npm test" passes', async () => {
    const folder = await emptyFolder();
    const detent = join(project, 'node_modules/detent');
    await run(process.execPath, [join(detent, 'dist/src/cli/main.js'), 'init'], { cwd: folder });
    await mkdir(join(folder, 'node_modules'));
    await symlink(detent, join(folder, 'node_modules/detent'));
    for (const name of ['@types', 'undici-types', 'xstate']) await link(name, join(folder, 'node_modules'));
    const compiled = run(process.execPath, [...tsc, '-p', folder]);
    expect(await compiled.catch((error) => error)).toMatchObject({ stdout: '' });
    const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;
    const { stdout } = await run('npm', ['test'], { cwd: folder, env });
    expect(stdout).toMatch(/^ℹ pass 2$/m);
  });

  it('imports no package but those that come with it, in its JavaScript and in its types', async () => {
    const dist = join(project, 'node_modules/detent/dist');
    const files = (await readdir(dist, { recursive: true })).filter((name) => /\.(js|d\.ts)$/.test(name));
    const allowed = new Set([
      ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
      ...builtinModules,
    ]);
    await init;
    const foreign = [];
    for (const file of files) {
      const text = await readFile(join(dist, file), 'utf8');
      const names = file.endsWith('.js')
        ? parse(text)[0].map(({ n }) => n ?? '')
        : [...text.matchAll(imported)].map(([, from = '']) => from);
      for (const name of names) {
        if (/^(\.|node:|$)/.test(name)) continue;
        if (!allowed.has(/^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name)) foreign.push(`${file}: ${name}`);
      }
    }
    expect(files.length).toBeGreaterThan(100);
    expect(foreign).toEqual([]);
  });

  it('has the licences of the packages whose code it contains', async () => {
    const dist = join(project, 'node_modules/detent/dist');
    const notices = await readFile(join(dist, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    for (const name of ['commander', 'zod', 'yaml', '@anthropic-ai/sdk'])
      expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, 'm'));
    expect(notices.match(/copyright/gi)?.length).toBeGreaterThan(8);
    // Its statements are compiled: see scripts/build/statements.ts.
    expect(notices).not.toMatch(/^kysely /m);
  });

  it('has source maps that lead to the lines of the source', async () => {
    const parts = join(project, 'node_modules/detent/dist/parts');
    const wanted = 'async function openParts(';
    const files = (await readdir(parts)).filter((file) => file.endsWith('.js'));
    const texts = await Promise.all(files.map((file) => readFile(join(parts, file), 'utf8')));
    const at = texts.findIndex((it) => it.includes(wanted));
    const [name, text = ''] = [files[at], texts[at]];
    const line = text.split('\n').findIndex((it) => it.includes(wanted));
    const map = new SourceMap(JSON.parse(await readFile(join(parts, `${name}.map`), 'utf8')));
    const found = map.findEntry(line, 20);
    const source = await readFile(join(root, 'src/runtime/compose.ts'), 'utf8');
    expect('originalSource' in found && found.originalSource).toMatch(/src\/runtime\/compose\.ts$/);
    expect(source.split('\n')['originalLine' in found ? found.originalLine : -1]).toContain(
      'function openParts(',
    );
  });

  /** Tells the files that a process loaded as modules, when it ends. */
  const tellingFiles = `
    const files = [];
    const { registerHooks } = process.getBuiltinModule('node:module');
    registerHooks({ load: (url, context, next) => (files.push(url), next(url, context)) });
    process.on('exit', () => process.stderr.write('\\n' + JSON.stringify(files)));`;

  /** The package's own files that a process loads, without their hashes, and the other packages that it loads. */
  async function loadedBy(args: readonly string[], env = process.env): Promise<Loaded> {
    const hook = `data:text/javascript,${encodeURIComponent(tellingFiles)}`;
    const { stderr } = await run(process.execPath, ['--import', hook, ...args], { cwd: project, env });
    const urls = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as string[];
    const own = urls.filter((url) => url.includes('/node_modules/detent/dist/'));
    const files = own.flatMap((url) => url.split('/node_modules/detent/dist/')[1] ?? []);
    const sizes = await Promise.all(own.map(async (url) => (await stat(new URL(url))).size));
    return {
      files: files.map((file) => file.replace(/-[\w-]{8}\.js$/, '')),
      kilobytes: sizes.reduce((sum, size) => sum + size, 0) / 1024,
      packages: packagesOf(urls),
    };
  }

  it.each([
    ['detent', 5, []],
    ['detent/client', 2, []],
    ['detent/sdk', 3, []],
    ['detent/core', 10, ['@cfworker/json-schema', 'xstate']],
    ['detent/core/openai', 4, []],
    ['detent/core/conversations', 6, []],
    ['detent/core/sub-runs', 6, ['@cfworker/json-schema']],
    ['detent/core/workflows', 8, ['xstate']],
    ['detent/inspect', 2, []],
    ['detent/machines', 3, ['xstate']],
    ['detent/workflow', 8, ['xstate']],
  ])('is read from few files: %s', async (entry, most, packages) => {
    const loaded = await loadedBy(['--input-type=module', '-e', `await import('${entry}')`]);
    expect(loaded.files.length, loaded.files.join(', ')).toBeLessThanOrEqual(most);
    expect(loaded.packages).toEqual(packages);
  });

  describe('as a command', () => {
    const detent = async (...words: string[]) => {
      const env = { PATH: process.env.PATH, DETENT_TRUST: '1', DETENT_HOME: join(project, 'home') };
      return loadedBy([join(project, 'node_modules/detent/dist/src/cli/main.js'), ...words], env);
    };
    it.each([
      ['--version', 2, 10, []],
      ['--help', 35, 1_000, []],
      ['run hello', 17, 1_600, ['better-sqlite3', 'xstate']],
      ['runs list', 9, 600, ['better-sqlite3']],
    ])('is read from few files, which are small: detent %s', async (words, most, kilobytes, packages) => {
      const loaded = await detent(...words.split(' '));
      expect(loaded.files.length, loaded.files.join(', ')).toBeLessThanOrEqual(most);
      // One import of a whole library, such as that of zod with its languages, would be in this.
      expect(loaded.kilobytes).toBeLessThanOrEqual(kilobytes);
      expect(loaded.packages).toEqual(packages);
      // What is needed when a call or a configuration is checked, or a skill that does not come with the package.
      expect(loaded.files.filter((file) => /schema|config|skills/.test(file))).toEqual([]);
    });
  });

  it('serves its web page, which comes compressed and with the licences of its libraries', async () => {
    const main = join(project, 'node_modules/detent/dist/src/cli/main.js');
    const env = { PATH: process.env.PATH, DETENT_TRUST: '1', DETENT_HOME: join(project, 'home') };
    const served = spawn(process.execPath, [main, 'serve', '--port', '0', '--json'], { cwd: project, env });
    afterwards(() => void served.kill('SIGKILL'));
    const [line] = await once(served.stdout, 'data');
    const { url } = JSON.parse(String(line));
    const page = await fetch(`${url}/runs/run_x`, { headers: { accept: 'text/html' } });
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    const [, script = ''] =
      /<script type="module" crossorigin src="(\/assets\/[^"]+\.js)"/.exec(await page.text()) ?? [];
    const loaded = await fetch(url + script, { headers: { 'accept-encoding': 'br' } });
    expect([loaded.status, loaded.headers.get('content-encoding')]).toEqual([200, 'br']);
    expect(await (await fetch(`${url}/THIRD-PARTY-NOTICES.txt`)).text()).toMatch(
      /^preact \d[\s\S]*SIL OPEN FONT/m,
    );
  });

  it('passes publint', async () => {
    const bytes = tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.byteLength);
    const { messages, pkg } = await publint({ pack: { tarball: bytes as ArrayBuffer }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it('has the types that its JavaScript has, for modules and for bundlers', async () => {
    const data = createPackageFromTarballData(new Uint8Array(tarball));
    // Each entry is a program of its own to TypeScript, in four ways: at the full size all of them.
    const entrypoints = ['.', './client.min.js', './core', './machines', './postgres'];
    const analysis = await checkPackage(data, isFullSize ? {} : { entrypoints });
    if (!analysis.types) throw new Error('the package has no types');
    // It is a package of modules: what has only require() is told so by Node itself.
    const ofRequire = ['node10', 'node16-cjs'];
    const problems = analysis.problems.filter(
      (problem) => !('resolutionKind' in problem && ofRequire.includes(problem.resolutionKind)),
    );
    expect(problems).toEqual([]);
  });
});

// A made-up version does not find imports that an older Node has not.
describeWith(
  olderNode !== undefined,
  'there is no older Node',
  true,
)('the older Node of this machine', () => {
  it('says that Detent needs 24', async () => {
    const main = join(project, 'node_modules/detent/dist/src/cli/main.js');
    const ended = await run(olderNode ?? '', [main, '--version']).catch((error) => error);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('needs Node 24 or newer') });
  });
});

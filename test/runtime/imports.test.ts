import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { compileCache } from '../support/compile-cache.ts';
import { temporaryWorkspace } from '../support/detent.ts';
import { packagesOf } from '../support/loaded-modules.ts';
import { programFile } from '../support/program.ts';

const run = promisify(execFile);
/** The package as it is published: there, an import loads the file with a name, not the door that shows it. */
const published = (module: string) => pathToFileURL(programFile(module)).href;

/** Runs a program in a process of its own and answers every module that it loaded, and its last word. */
async function loadedBy(
  program: string,
  folder?: string,
): Promise<{ modules: string[]; said: string; files: string[] }> {
  const cwd = folder ?? (await temporaryWorkspace());
  const source = `
    import { registerHooks } from 'node:module';
    const modules = new Set();
    registerHooks({ load: (url, context, next) => (modules.add(url), next(url, context)) });
    const out = {};
    const { createDetent, defineTool, defineConfig } = await import(${JSON.stringify(published('src/index'))});
    ${program}
    out.modules = [...modules];
    process.stdout.write(JSON.stringify(out));
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--no-warnings', '-e', source], {
    cwd,
    env: compileCache,
  });
  const { modules, said = '' } = JSON.parse(stdout);
  return { modules, said, files: await readdir(cwd) };
}

/** The parts of the package that were loaded: `startParts` of scripts/build/bundle.ts names them. */
const partsOf = (modules: readonly string[]) =>
  modules.flatMap((url) => /\/parts\/([\w-]+)-[\w-]{8}\.js$/.exec(url)?.[1] ?? []);

/** What the package's own files among the modules take, in KiB. */
const kilobytesOf = (modules: readonly string[]) =>
  modules
    .filter((url) => /\/dist\/(?:parts|src|machines)\//.test(url))
    .reduce((sum, url) => sum + statSync(fileURLToPath(url)).size / 1024, 0);

describe('importing the package', () => {
  it('loads no provider, no database and no statechart, and opens nothing', async () => {
    const { modules, files } = await loadedBy('');
    expect(packagesOf(modules)).toEqual([]);
    for (const part of ['database', 'run', 'machine', 'indexing'])
      expect(partsOf(modules)).not.toContain(part);
    expect(files).toEqual([]);
  });

  it('can define and create without more', async () => {
    const { modules, files } = await loadedBy(`
      defineConfig({ model: 'openai/gpt-5-mini' });
      defineTool({ name: 'look', description: '', jsonSchema: { type: 'object' }, sideEffect: 'readonly', run: () => 1 });
      const detent = createDetent({ model: 'openai/gpt-5-mini' });
      await detent.close();
    `);
    expect(packagesOf(modules)).toEqual([]);
    expect(files).toEqual([]);
  });
});

/** Stands in the modules of PostgreSQL alone. */
const postgresTable = 'detent_migrations';

describe('the first use', () => {
  it('in process loads no provider, and opens no file', async () => {
    const { modules, said, files } = await loadedBy(`
      const detent = createDetent({ store: 'in-process', model: 'demo/demo' });
      const view = await detent.run('What is 17 * 23?').result;
      out.said = view.text;
      await detent.close();
    `);
    expect(said).toContain('391');
    const packages = packagesOf(modules);
    for (const provider of ['openai', 'undici', 'eventsource-parser'])
      expect(packages).not.toContain(provider);
    for (const network of ['node:http', 'node:https', 'node:net', 'node:tls', 'node:zlib'])
      expect(modules).not.toContain(network);
    expect(files).toEqual([]);
  });

  it('with a model of one’s own loads no provider', async () => {
    const { modules, files } = await loadedBy(`
      const answer = { model: 'm', text: 'hi', reasoning: '', refusal: '', toolCalls: [], finishReason: 'stop', finish: 'stop', usage: null, error: null };
      const detent = createDetent({ model: 'mine/m', models: { mine: { generate: async () => answer } } });
      await detent.run('hello').result;
      await detent.close();
    `);
    const packages = packagesOf(modules);
    for (const provider of ['openai', 'undici', 'eventsource-parser'])
      expect(packages).not.toContain(provider);
    expect(packages).toContain('better-sqlite3');
    expect(files).toEqual(['.detent']);
    // Nor anything of PostgreSQL: not its driver, and none of our modules that know its tables.
    expect(packages.filter((name) => name.startsWith('pg'))).toEqual([]);
    const own = modules.filter((url) => url.includes('/parts/'));
    expect(own.length).toBeGreaterThan(3);
    expect(own.filter((url) => readFileSync(fileURLToPath(url), 'utf8').includes(postgresTable))).toEqual([]);
  });

  it('with a tool and without skills reads neither the command line nor YAML, workflows or the index of memory', async () => {
    const { modules, said } = await loadedBy(`
      const end = { model: 'm', reasoning: '', refusal: '', usage: null, error: null };
      const call = { ...end, text: '', toolCalls: [{ id: 'c1', name: 'look', arguments: '{"at":1}' }], finishReason: 'tool_calls', finish: 'tool_calls' };
      const answer = { ...end, text: 'seen', toolCalls: [], finishReason: 'stop', finish: 'stop' };
      const turns = [call, answer];
      const detent = createDetent({
        model: 'mine/m',
        models: { mine: { generate: async () => turns.shift() } },
        skills: { bundled: false },
        tools: {
          define: [defineTool({
            name: 'look',
            description: 'Looks',
            jsonSchema: { type: 'object', properties: { at: { type: 'number' } }, required: ['at'] },
            sideEffect: 'readonly',
            run: ({ at }) => at,
          })],
          allowed: ['look'],
        },
      });
      let threads = 0;
      process.on('worker', () => threads++);
      const view = await detent.run('hello').result;
      out.said = [view.text, threads].join(' ');
      await detent.close();
    `);
    // One answer after one call, whose arguments no thread has validated.
    expect(said).toBe('seen 0');
    const parts = partsOf(modules);
    for (const part of ['database', 'machine', 'run']) expect(parts).toContain(part);
    for (const part of ['command', 'workflow', 'indexing', 'skills', 'history', 'gateway'])
      expect(parts).not.toContain(part);
    expect(kilobytesOf(modules)).toBeLessThan(1_500);
  });
});

it('a listing opens the database, and loads no provider and no client', async () => {
  const cwd = await temporaryWorkspace();
  const { said: runId } = await loadedBy(
    `
    const detent = createDetent({ model: 'demo/demo' });
    out.said = (await detent.run('hello').result).runId;
    await detent.close();
  `,
    cwd,
  );
  // One list is read as an application starts; the others may load what runs are made of, but no package beside it.
  const others = ['runs.show(runId)', 'sessions.list()', 'usage()', 'budgets.list()'];
  for (const lists of [['runs.list()'], others]) {
    const { modules } = await loadedBy(
      `
      const runId = '${runId}';
      const detent = createDetent();
      ${lists.map((list) => `await detent.${list};`).join('\n')}
      await detent.close();
    `,
      cwd,
    );
    expect(packagesOf(modules).filter((name) => name !== 'xstate')).toEqual(['better-sqlite3']);
    if (lists !== others) expect(partsOf(modules)).not.toContain('run');
  }
});

describe('a model call', () => {
  it('loads no SDK and no HTTP client beside that of Node, and leaves the dispatcher of fetch as it is', async () => {
    const { modules, said } = await loadedBy(`
      const { createServer } = await import('node:http');
      const server = createServer((_, response) => response.end('from the server'));
      await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
      const url = 'http://127.0.0.1:' + server.address().port;
      const dispatcher = () => globalThis[Symbol.for('undici.globalDispatcher.1')];
      const before = dispatcher();
      const detent = createDetent({ store: 'in-process' });
      await detent.run('hi', { model: 'local/m', baseUrl: url, limits: { maxRetries: 0 } }).result;
      await detent.close();
      out.said = [dispatcher() === before, await (await fetch(url)).text()].join(' ');
      server.close();
      server.closeAllConnections();
    `);
    const packages = packagesOf(modules);
    for (const heavy of ['openai', 'undici']) expect(packages).not.toContain(heavy);
    expect(said).toBe('true from the server');
  });
});

describe('a process that has used the package', () => {
  it('ends by itself when its Detent is closed', async () => {
    const { said } = await loadedBy(`
      const detent = createDetent({ model: 'demo/demo' });
      await detent.run('hello').result;
      await detent.close();
      out.said = 'closed';
    `);
    expect(said).toBe('closed');
  });
});

import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DetentOptions, RunRequest, RunView } from '../../src/index.ts';
import { assemble } from '../../src/runtime/create-detent.ts';
import { type ScriptLine, scriptedModel } from '../../src/testing/index.ts';
import { findBubblewrap } from '../../src/tools/sandbox/find-sandbox.ts';
import { modelOptions, scripted, temporaryWorkspace, tool } from '../support/detent.ts';
import { inSizes } from '../support/size.ts';
import { oddServer } from '../tools/mcp/support.ts';

const secret = 'the-secret-of-another-tenant';
const limits = { maxErrors: 1_000, maxRepeats: 1_000, maxSteps: 1_000 };

/** Three folders beside each other, of tenants 1 (`main`), 2 (`acme`) and 3 (`globex`); each has links into the others. */
async function host(script: readonly ScriptLine[], options: DetentOptions = {}) {
  const folder = await temporaryWorkspace();
  const at = (...path: string[]) => join(folder, ...path);
  for (const name of ['main', 'acme', 'globex', 'home']) await mkdir(at(name));
  for (const name of ['main', 'globex']) {
    await writeFile(at(name, 'secret.txt'), secret);
    await mkdir(at(name, 'memory'));
    await writeFile(at(name, 'memory', 'MEMORY.md'), `${secret}\n`);
    await symlink(at(name), at('acme', `to-${name}`));
    await symlink(at(name, 'secret.txt'), at('acme', `${name}.txt`));
    await symlink(at(name, 'new.txt'), at('acme', `new-${name}.txt`));
  }
  await writeFile(at('acme', 'own.txt'), 'of acme');
  const made = await scripted(script, {
    workspace: at('main'),
    env: { DETENT_HOME: at('home') },
    ...options,
  });
  await made.detent.tenants.create({ name: 'acme', workspace: at('acme') });
  await made.detent.tenants.create({ name: 'globex', workspace: at('globex') });
  await made.detent.tenants.create({ name: 'guests' });
  return { ...made, at };
}

const as = (tenantId: number, more: RunRequest = {}): RunRequest => ({
  principal: { tenantId },
  approve: 'all',
  limits,
  ...more,
});

const call = (name: string, args: object) => ({ name, arguments: args as never });

const callsOf = ({ steps }: RunView) => steps.flatMap(({ toolCalls }) => toolCalls);

async function filesOf(folder: string): Promise<[string, string][]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const own = files.filter((file) => !file.includes('/.detent/')).sort();
  return Promise.all(own.map(async (file) => [file, await readFile(file, 'utf8')] as [string, string]));
}

/** What a call with a hostile path is for each built-in tool; none for tools without paths. */
const hostile: Readonly<Record<string, ((path: string) => object) | null>> = {
  read_file: (path) => ({ path }),
  write_file: (path) => ({ path, content: 'overwritten' }),
  edit_file: (path) => ({ path, old_text: secret, new_text: 'overwritten' }),
  list_files: (path) => ({ path, glob: '**' }),
  grep: (path) => ({ pattern: 'secret.of.another', path }),
  shell: (path) => ({
    command: `cat '${path}' '${path}'/secret.txt; ls '${path}'; echo x > '${path}'; echo x > '${path}'/new.txt`,
  }),
  shell_output: (path) => ({ id: path }),
  shell_kill: (path) => ({ id: path }),
  memory_get: (path) => ({ path }),
  memory_search: () => ({ query: 'the secret of another tenant' }),
  memory_write: (path) => ({ lines: [path] }),
  session_search: () => ({ query: 'the secret of another tenant' }),
  skill: (path) => ({ name: 'skill-creator', file: path }),
  http_get: (path) => ({ url: `file://${path}` }),
  datetime: null,
  calculator: null,
  unit_convert: null,
  ask_user: null,
  todo: null,
  task: null,
  schedule_job: null,
};

describe('a run of a tenant', () => {
  it('neither reads nor writes files of another one, by any tool and any path', async () => {
    const { works: hasSandbox } = await findBubblewrap();
    const segment = fc.constantFrom('..', '..', '.', '', 'main', 'globex', 'acme', 'to-main', 'to-globex');
    const last = fc.constantFrom(
      '',
      'secret.txt',
      'main.txt',
      'new-globex.txt',
      'new.txt',
      'memory/MEMORY.md',
    );
    const way = fc
      .tuple(fc.array(segment, { maxLength: 4 }), last)
      .map(([above, name]) => [...above, name].join('/'));
    const paths = fc.array(fc.tuple(fc.boolean(), way), { minLength: 1, maxLength: 4 });
    let asked: ReturnType<typeof call>[] = [];
    const line = () => ({ toolCalls: asked.splice(0), text: 'done' });
    const { detent, at } = await host(Array.from({ length: 1_000 }, () => line));
    const names = (await detent.tools.describe()).map(({ name }) => name);
    expect(names.sort()).toEqual(Object.keys(hostile).sort());
    const before = [await filesOf(at('main')), await filesOf(at('globex'))];
    await fc.assert(
      fc.asyncProperty(paths, async (some) => {
        const wanted = some.map(([isAbsolute, path]) => (isAbsolute ? at('globex', path) : path || '.'));
        asked = Object.entries(hostile).flatMap(([name, argumentsOf]) =>
          argumentsOf && (hasSandbox || !name.startsWith('shell'))
            ? wanted.map((path) => call(name, argumentsOf(path)))
            : [],
        );
        const toolCalls = callsOf(await detent.run('go', as(2)).result);
        expect(toolCalls.length).toBeGreaterThan(0);
        for (const { name, result } of toolCalls)
          expect([name, wanted, result]).toEqual([name, wanted, expect.not.stringContaining(secret)]);
        expect([await filesOf(at('main')), await filesOf(at('globex'))]).toEqual(before);
      }),
      { numRuns: inSizes({ usual: 2, deep: 8, full: 400 }) },
    );
  });

  it('reads, lists and writes in its own workspace', async () => {
    const calls = [
      call('read_file', { path: 'own.txt' }),
      call('write_file', { path: 'made.txt', content: 'made' }),
      call('list_files', {}),
      call('memory_write', { lines: ['the boat is called Nereid'], to: 'long_term' }),
    ];
    const { detent, at } = await host([{ toolCalls: calls }, { text: 'done' }]);
    const view = await detent.run('go', as(2)).result;
    const [read, , list] = callsOf(view).map(({ result }) => result);
    expect(read).toBe('of acme');
    expect(list).toContain('made.txt');
    expect(await readFile(at('acme', 'made.txt'), 'utf8')).toBe('made');
    expect(await readFile(at('acme', 'memory', 'MEMORY.md'), 'utf8')).toContain('Nereid');
    expect(existsSync(at('main', '.detent', 'tenants'))).toBe(false);
    expect((await detent.memory.search('boat', { tenantId: 2 })).results).toHaveLength(1);
    expect((await detent.memory.search('boat')).results).toEqual([]);
  });

  it('recalls the memory of its own workspace', async () => {
    const { detent, at, model } = await host([{ text: 'hello' }]);
    await mkdir(at('acme', 'memory'));
    await writeFile(at('acme', 'memory', 'MEMORY.md'), 'The boat of Acme is called Nereid.\n');
    await detent.run('hello', as(2)).result;
    const sent = JSON.stringify(model.requests[0]?.messages);
    expect(sent).toContain('Nereid');
    expect(sent).not.toContain(secret);
  });

  it('shows a person the file that a call would change, and changes that one', async () => {
    const edit = call('edit_file', { path: 'own.txt', old_text: 'of acme', new_text: 'changed' });
    const { detent, at } = await host([{ toolCalls: [edit] }, { text: 'done' }]);
    await writeFile(at('main', 'own.txt'), 'of main');
    const run = detent.run('go', as(2, { approve: 'ask' }));
    const [question] = (await run.result).pending;
    expect(JSON.stringify(question)).toContain('of acme');
    const changed = { path: 'made.txt', old_text: 'x', new_text: 'y' };
    await writeFile(at('acme', 'made.txt'), 'x');
    await run.confirm(question?.callId ?? '', { verdict: 'modify', arguments: changed });
    expect(await run.result).toMatchObject({ status: 'done' });
    expect(await readFile(at('acme', 'made.txt'), 'utf8')).toBe('y');
    expect(await readFile(at('main', 'own.txt'), 'utf8')).toBe('of main');
  });

  it('takes attachments by path from its own workspace alone', async () => {
    const { detent, model } = await host([{ text: 'seen' }]);
    const attach = (path: string, tenantId: number) =>
      detent.run('look', as(tenantId, { attachments: [{ path }] })).result;
    for (const path of ['secret.txt', '../main/secret.txt', 'to-main/secret.txt', 'main.txt'])
      await expect(attach(path, 2)).rejects.toMatchObject({ code: 'ATTACHMENT_NOT_FOUND' });
    await expect(attach('secret.txt', 4)).rejects.toMatchObject({ code: 'ATTACHMENT_NOT_FOUND' });
    await attach('own.txt', 2);
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('of acme');
  });

  it('gives its tasks the same workspace', async () => {
    const { detent } = await host([
      { toolCalls: [call('task', { prompt: 'read it' })] },
      {
        toolCalls: [
          call('read_file', { path: 'own.txt' }),
          call('read_file', { path: '../main/secret.txt' }),
        ],
      },
      { text: 'read' },
      { text: 'done' },
    ]);
    const run = detent.run('go', as(2));
    const { runId } = callsOf(await run.result)[0]?.subRun ?? {};
    const results = callsOf(await detent.runs.show(runId ?? '', 2)).map(({ result }) => result);
    expect(results).toEqual(['of acme', expect.stringContaining('outside the workspace')]);
  });

  it('is offered the skills of Detent and of the configuration, not those of tenant 1', async () => {
    const { detent, model, at } = await host([{ text: 'one' }, { text: 'two' }, { text: 'three' }], {
      skills: { folders: ['../shared'] },
    });
    for (const [folder, name] of [
      ['main/skills', 'of-main'],
      ['home/skills', 'of-user'],
      ['shared', 'of-all'],
    ] as const) {
      await mkdir(at(folder, name), { recursive: true });
      const text = `---\nname: ${name}\ndescription: About boats.\n---\nThe text of ${name}.\n`;
      await writeFile(at(folder, name, 'SKILL.md'), text);
    }
    await detent.run('hi').result;
    await detent.run('hi', as(2)).result;
    await detent.run('/of-main now', as(2)).result;
    const [first = '', second = '', invoked = ''] = model.requests.map((request) => JSON.stringify(request));
    expect(['of-main', 'of-user', 'of-all'].map((name) => first.includes(name))).toEqual([true, true, true]);
    expect(['of-main', 'of-user', 'of-all'].map((name) => second.includes(name))).toEqual([
      false,
      false,
      true,
    ]);
    expect(invoked).not.toContain('The text of of-main');
  });

  it('uses another workspace from the first call on after it has changed', async () => {
    const { detent, at } = await host([
      { toolCalls: [call('write_file', { path: 'a.txt', content: 'a' })] },
      { text: 'done' },
    ]);
    await mkdir(at('new'));
    const run = detent.run('go', as(2, { approve: 'ask' }));
    const [question] = (await run.result).pending;
    await detent.tenants.setWorkspace('acme', at('new'));
    await run.confirm(question?.callId ?? '', { verdict: 'approve' });
    expect((await run.result).status).toBe('done');
    expect([existsSync(at('acme', 'a.txt')), existsSync(at('new', 'a.txt'))]).toEqual([false, true]);
  });

  it('follows no link to the memory of another one', async () => {
    const { detent, at } = await host([
      {
        toolCalls: [
          call('memory_write', { lines: ['planted'] }),
          call('memory_write', { lines: ['planted'], to: 'long_term' }),
          call('memory_get', { path: 'memory/MEMORY.md' }),
          call('memory_get', { path: 'MEMORY.md' }),
          call('memory_search', { query: 'the secret of another tenant' }),
        ],
      },
      { text: 'done' },
    ]);
    await symlink(at('globex', 'memory'), at('acme', 'memory'));
    await symlink(at('main', 'secret.txt'), at('acme', 'MEMORY.md'));
    const before = [await filesOf(at('main')), await filesOf(at('globex'))];
    const calls = callsOf(await detent.run('the secret of another tenant', as(2)).result);
    expect(calls).toHaveLength(5);
    for (const { result } of calls) expect(result).not.toContain(secret);
    expect([await filesOf(at('main')), await filesOf(at('globex'))]).toEqual(before);
  });

  it('does nothing when the folder of the runtime in its workspace is a link', async () => {
    const { detent, at } = await host([{ text: 'never' }]);
    await mkdir(at('globex', '.detent'));
    await symlink(at('globex', '.detent'), at('acme', '.detent'));
    await expect(detent.run('go', as(2)).result).rejects.toMatchObject({ code: 'INVALID_WORKSPACE' });
  });

  it('does nothing when a link has taken the place of its workspace', async () => {
    const { detent, at } = await host([{ text: 'never' }]);
    await rename(at('acme'), at('old'));
    await symlink(at('globex'), at('acme'));
    await expect(detent.run('go', as(2)).result).rejects.toMatchObject({ code: 'INVALID_WORKSPACE' });
    await expect(detent.memory.search('secret', { tenantId: 2 })).rejects.toMatchObject({
      code: 'INVALID_WORKSPACE',
    });
  });
});

describe('a run of a tenant without a workspace', () => {
  const withheld = [
    'read_file',
    'write_file',
    'edit_file',
    'list_files',
    'grep',
    'shell',
    'shell_output',
    'shell_kill',
  ];

  it('is offered no tool for files and commands, and refused a call of one with the reason', async () => {
    const calls = withheld.map((name) => call(name, { path: 'secret.txt', command: 'cat secret.txt' }));
    const { detent, model } = await host([{ toolCalls: calls }, { text: 'done' }]);
    const view = await detent.run('go', as(4)).result;
    expect(view.status).toBe('done');
    const offered = model.requests[0]?.tools.map(({ name }) => name) ?? [];
    expect(offered).toContain('calculator');
    expect(offered.filter((name) => withheld.includes(name))).toEqual([]);
    for (const { name, code, result } of callsOf(view))
      expect([name, code, result]).toEqual([
        name,
        'NO_WORKSPACE',
        expect.stringContaining('has no workspace'),
      ]);
  });

  it('is refused a call that was approved while it had one', async () => {
    const { detent, at } = await host([
      { toolCalls: [call('write_file', { path: 'a.txt', content: 'a' })] },
      { text: 'done' },
    ]);
    const run = detent.run('go', as(2, { approve: 'ask' }));
    const [question] = (await run.result).pending;
    await detent.tenants.setWorkspace('acme', null);
    await run.confirm(question?.callId ?? '', { verdict: 'approve' });
    expect(callsOf(await run.result)[0]?.result).toContain('has no workspace');
    expect(existsSync(at('acme', 'a.txt'))).toBe(false);
  });

  it('keeps its memory in the folder of the runtime', async () => {
    const { detent, at } = await host([
      { toolCalls: [call('memory_write', { lines: ['the boat is called Nereid'], to: 'long_term' })] },
      { text: 'done' },
    ]);
    await detent.run('go', as(4)).result;
    expect(existsSync(at('main', '.detent', 'tenants', '4', 'memory', 'MEMORY.md'))).toBe(true);
    expect((await detent.memory.search('boat', { tenantId: 4 })).results).toHaveLength(1);
  });

  it('tells tools of the program that there is no folder', async () => {
    const seen: unknown[] = [];
    const where = tool('where', { run: (_, { workspace }) => void seen.push(workspace) });
    const { detent, at } = await host(
      [1, 2, 4].flatMap(() => [{ toolCalls: [call('where', {})] }, { text: 'done' }]),
      { tools: { define: [where] } },
    );
    for (const tenantId of [1, 2, 4]) await detent.run('go', as(tenantId)).result;
    expect(seen).toEqual([at('main'), at('acme'), null]);
  });
});

describe('MCP servers', () => {
  it('are for tenant 1 alone, and not started for others', async () => {
    const odd = await oddServer({ tools: [{ name: 'echo', description: 'says it again' }] });
    const { detent, model } = await host(
      [
        { text: 'one' },
        { toolCalls: [call('mcp__odd__echo', {}), call('mcp__odd__other', {})] },
        { text: 'two' },
        { text: 'three' },
      ],
      { mcp: { servers: { odd: odd.config } }, env: process.env },
    );
    await detent.run('go', as(4, { tools: ['mcp__odd__*', 'calculator'] })).result;
    const view = await detent.run('go', as(2)).result;
    for (const { code, result } of callsOf(view))
      expect([code, result]).toEqual(['MCP_NOT_SHARED', expect.stringContaining('first tenant only')]);
    expect(odd.seen('pid')).toEqual([]);
    expect((await detent.tools.list(2)).map(({ name }) => name)).not.toContain('mcp__odd__echo');
    expect((await detent.tools.list()).map(({ name }) => name)).toContain('mcp__odd__echo');
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['calculator']);
  });
});

describe('a run of tenant 1', () => {
  it('asks the database nothing about tenants', async () => {
    const asked: string[] = [];
    const model = scriptedModel([{ toolCalls: [call('list_files', {})] }, { text: 'done' }]);
    const watched = assemble(modelOptions(model), {
      store: (store) => ({
        commit: (program) =>
          store.commit(function* () {
            const steps = program();
            for (let step = steps.next(); ; ) {
              if (step.done) return step.value;
              asked.push(step.value[0]);
              step = steps.next((yield step.value) as never);
            }
          }),
        query: (name, input) => {
          asked.push(name);
          return store.query(name, input);
        },
        close: () => store.close(),
      }),
    });
    onTestFinished(() => watched.close());
    await watched.run('go').result;
    // Once, when the process opens.
    expect(asked.filter((name) => /tenant/i.test(name))).toEqual(['listTenants']);
    expect(asked).toContain('insertRun');
  });
});

describe('commands without a sandbox', () => {
  it('are for tenant 1 alone, because they reach every file', async () => {
    const { detent, model } = await host(
      [
        { text: 'one' },
        { toolCalls: [call('shell', { command: 'cat ../main/secret.txt' })] },
        { text: 'two' },
      ],
      { sandbox: 'none', tools: { allowed: ['shell', 'read_file'] } },
    );
    await detent.run('go').result;
    const view = await detent.run('go', as(2)).result;
    const offered = model.requests.map(({ tools }) => tools.map(({ name }) => name));
    expect(offered.slice(0, 2)).toEqual([['read_file', 'shell'], ['read_file']]);
    expect(callsOf(view)[0]?.result).toContain('sandbox');
    expect(callsOf(view)[0]?.result).not.toContain(secret);
  });
});

describe('another process', () => {
  /** A run of tenant 2 that asks a person, and whose process has ended. */
  async function asking() {
    const stored = { store: undefined as never, database: { file: '../data/runs.db' } };
    const line = { toolCalls: [call('write_file', { path: 'a.txt', content: 'a' })] };
    const { detent, at } = await host([line], stored);
    const run = detent.run('go', as(2, { approve: 'ask' }));
    const [question] = (await run.result).pending;
    await detent.close();
    return { at, run, question, stored };
  }

  it('resumes a run of a tenant in the workspace of its row, whatever folder it has opened', async () => {
    const { at, run, question, stored } = await asking();
    await mkdir(at('elsewhere'));
    const { detent: next } = await scripted([{ text: 'done' }], {
      workspace: at('elsewhere'),
      ...stored,
    });
    await next.runs.resume();
    await next.runs.confirm(run.runId, question?.callId ?? '', { verdict: 'approve' }, 2);
    expect((await next.runs.attach(run.runId, 2).result).status).toBe('done');
    expect([existsSync(at('acme', 'a.txt')), existsSync(at('elsewhere', 'a.txt'))]).toEqual([true, false]);
  });

  it('leaves a run of a tenant alone when it was opened in its workspace', async () => {
    const { at, run, question, stored } = await asking();
    const reported: unknown[] = [];
    const { detent: next } = await scripted([], {
      workspace: at('acme'),
      ...stored,
      onError: (error) => reported.push(error),
    });
    await next.runs.resume();
    expect(reported).toContainEqual(expect.objectContaining({ code: 'INVALID_WORKSPACE' }));
    await next.runs.confirm(run.runId, question?.callId ?? '', { verdict: 'approve' }, 2);
    await expect(next.runs.resume({ runId: run.runId }, 2)).rejects.toMatchObject({
      code: 'INVALID_WORKSPACE',
    });
    const refused = next.run('go', as(2)).result;
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_WORKSPACE' });
    expect(await next.runs.show(run.runId, 2)).toMatchObject({ status: 'decided', outcome: null });
    await next.close();
    expect(existsSync(at('acme', 'a.txt'))).toBe(false);
    const { detent: last } = await scripted([{ text: 'done' }], {
      workspace: at('main'),
      ...stored,
    });
    await last.runs.resume();
    expect((await last.runs.attach(run.runId, 2).result).status).toBe('done');
    expect(existsSync(at('acme', 'a.txt'))).toBe(true);
  });
});

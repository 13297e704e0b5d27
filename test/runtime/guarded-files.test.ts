import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type DetentOptions, defineTool, type RunRequest } from '../../src/index.ts';
import type { ScriptLine } from '../../src/testing/index.ts';
import { scripted } from '../support/detent.ts';

const hook = '.git/hooks/pre-commit';
const write = (path: string): ScriptLine => ({
  toolCalls: [{ name: 'write_file', arguments: { path, content: '#!/bin/sh\n' } }],
});
const done: ScriptLine = { text: 'done' };

/** What became of a call that writes a git hook. */
async function outcome(options: DetentOptions, request: RunRequest = {}) {
  const { detent, workspace } = await scripted([write(hook), done], options);
  const view = await detent.run('go', request).result;
  return { status: view.status, why: view.pending[0]?.why, isWritten: existsSync(join(workspace, hook)) };
}

describe('a call that writes a guarded file', () => {
  it.each<[string, DetentOptions, RunRequest]>([
    ['approve: all of the configuration', { policy: { approve: 'all' } }, {}],
    ['confirm: false of the configuration', { policy: { confirm: { write_file: false } } }, {}],
    ['approve: ask of the request', { policy: { approve: 'all' } }, { approve: 'ask' }],
  ])('asks, whatever says otherwise: %s', async (_, options, request) => {
    expect(await outcome(options, request)).toEqual({
      status: 'waiting',
      why: expect.stringContaining(`guarded: ${hook}, by which git can be made to execute something`),
      isWritten: false,
    });
  });

  it('asks although the session has a grant for it', async () => {
    const { detent, workspace } = await scripted([write(hook), done, write(hook), done]);
    const first = detent.run('go', { sessionId: 's' });
    await first.result;
    const grant = { tool: 'write_file', pattern: { path: { any: true }, content: { any: true } } };
    await first.confirm('c2', { verdict: 'approve', grant });
    await first.result;
    expect(existsSync(join(workspace, hook))).toBe(true);
    const second = await detent.run('again', { sessionId: 's' }).result;
    expect(second).toMatchObject({
      status: 'waiting',
      pending: [{ why: expect.stringContaining('guarded: ') }],
    });
  });

  it('asks although a tool of the host says that it need not', async () => {
    const own = defineTool<{ to: string }>({
      name: 'save',
      description: 'Saves.',
      jsonSchema: { type: 'object', properties: { to: { type: 'string' } } },
      sideEffect: 'idempotent',
      confirm: false,
      writes: ({ to }) => [to],
      run: (_, ctx) => `guarded: ${ctx.mayWriteGuarded}`,
    });
    const save = { toolCalls: [{ name: 'save', arguments: { to: '.envrc' } }] };
    const { detent, model } = await scripted([save, done], { tools: { define: [own] } });
    const run = detent.run('go');
    expect(await run.result).toMatchObject({ status: 'waiting' });
    await run.confirm('c2', { verdict: 'approve' });
    await run.result;
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('guarded: true');
  });

  it('is refused when the run asks nobody', async () => {
    expect(await outcome({}, { approve: 'none' })).toMatchObject({ status: 'failed', isWritten: false });
  });

  it('runs when the request of the run approves all', async () => {
    expect(await outcome({}, { approve: 'all' })).toMatchObject({ status: 'done', isWritten: true });
  });

  it('runs when a person approves it', async () => {
    const { detent, workspace } = await scripted([write(hook), done], { policy: { approve: 'all' } });
    const run = detent.run('go');
    await run.result;
    await run.confirm('c2', { verdict: 'approve' });
    expect(await run.result).toMatchObject({ status: 'done' });
    expect(readFileSync(join(workspace, hook), 'utf8')).toBe('#!/bin/sh\n');
  });

  it('is one that a person changed to one: the change is its approval', async () => {
    const { detent, workspace } = await scripted([write('notes.txt'), done]);
    const run = detent.run('go');
    await run.result;
    await run.confirm('c2', { verdict: 'modify', arguments: { path: hook, content: 'by hand' } });
    expect(await run.result).toMatchObject({ status: 'done' });
    expect(readFileSync(join(workspace, hook), 'utf8')).toBe('by hand');
  });

  it('is not one that a hook of the host changed to one: nobody was asked', async () => {
    const { detent, workspace } = await scripted([write('notes.txt'), done], {
      policy: { confirm: { write_file: false } },
      hooks: { beforeTool: [() => ({ rewrite: { path: hook, content: 'x' } })] },
    });
    await detent.run('go').result;
    expect(existsSync(join(workspace, hook))).toBe(false);
  });

  it.each<[RunRequest['approve'], boolean]>([
    ['all', true],
    [undefined, false],
  ])('in a task follows what its parent may: approve %s', async (approve, isWritten) => {
    const task = { toolCalls: [{ name: 'task', arguments: { prompt: 'write it' } }] };
    const { detent, workspace } = await scripted([task, write(hook), done, done], {
      policy: { approve: 'all' },
    });
    const { status } = await detent.run('go', approve ? { approve } : {}).result;
    expect({ status, isWritten: existsSync(join(workspace, hook)) }).toEqual({
      status: isWritten ? 'done' : 'waiting',
      isWritten,
    });
  });

  it('asks in a fork of a run whose request approved all', async () => {
    const { detent, workspace } = await scripted([write('a.txt'), done, write(hook), done]);
    const run = detent.run('go', { approve: 'all' });
    await run.result;
    const fork = await detent.runs.fork(run.runId, { at: 0 });
    await detent.runs.resume({ runId: fork.runId });
    expect(await detent.runs.attach(fork.runId).result).toMatchObject({ status: 'waiting' });
    expect(existsSync(join(workspace, hook))).toBe(false);
  });

  it('is any that the program names', async () => {
    const { detent, workspace } = await scripted([write('lib/rules.ts'), done], {
      policy: { approve: 'all' },
      guardedFiles: ['lib'],
    });
    mkdirSync(join(workspace, 'lib'));
    expect(await detent.run('go').result).toMatchObject({ status: 'waiting' });
  });
});

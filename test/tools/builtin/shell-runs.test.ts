import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answering, at, by, newWorkspace } from '../../support/cli.ts';
import { scripted } from '../../support/detent.ts';
import { leftOf, processesWith } from '../../support/processes.ts';
import { describeSandboxed, marker, until } from '../sandbox/support.ts';

const allowed = { policy: { approve: 'all' as const } };
const shell = (args: object) => ({ toolCalls: [{ name: 'shell', arguments: args }] });

describeSandboxed('a run with a shell', () => {
  it('reads what a command printed, and that it failed', async () => {
    const { detent, model, workspace } = await scripted(
      [shell({ command: 'echo milk > list; cat list' }), shell({ command: 'cat nothing' }), { text: 'ok' }],
      allowed,
    );
    expect(await detent.run('go').result).toMatchObject({ status: 'done' });
    const said = JSON.stringify(model.requests.at(-1)?.messages);
    expect(said).toContain('milk\\n[exit code 0 after');
    expect(said).toContain('[stderr] cat: nothing: No such file or directory');
    expect(existsSync(join(workspace, 'list'))).toBe(true);
  });

  it('ends its background commands with itself', async () => {
    const mark = marker();
    const { detent } = await scripted(
      [shell({ command: `sleep ${mark}`, background: true }), { text: 'it sleeps' }],
      allowed,
    );
    expect(await detent.run('go').result).toMatchObject({ status: 'done' });
    expect(await leftOf(mark)).toEqual([]);
  });

  it('ends everything when it is cancelled', async () => {
    const mark = marker();
    const { detent } = await scripted(
      [shell({ command: `sleep ${mark}`, background: true }), shell({ command: `sleep ${mark}` })],
      allowed,
    );
    const run = detent.run('go');
    await until('both', () => processesWith(`sleep\0${mark}`).length === 2);
    await run.cancel();
    expect(await run.result).toMatchObject({ status: 'cancelled' });
    expect(await leftOf(mark)).toEqual([]);
  });

  it('changes guarded files only for a person: who approved the command, or all of this run', async () => {
    const plant = shell({
      command: 'echo x > .git/hooks/pre-commit && echo x > package.json; cat package.json',
    });
    for (const [policy, request, isChanged] of [
      ['all', {}, false],
      ['ask', {}, true],
      ['all', { approve: 'all' }, true],
    ] as const) {
      const { detent, workspace } = await scripted([plant, { text: 'ok' }], { policy: { approve: policy } });
      await mkdir(join(workspace, '.git', 'hooks'), { recursive: true });
      await writeFile(join(workspace, 'package.json'), '{}');
      const run = detent.run('go', request);
      if ((await run.result).status === 'waiting') await run.confirm('c2', { verdict: 'approve' });
      expect(await run.result).toMatchObject({ status: 'done' });
      expect({ policy, isChanged: existsSync(join(workspace, '.git', 'hooks', 'pre-commit')) }).toEqual({
        policy,
        isChanged,
      });
    }
  });

  it('says which guarded files a command made that no person approved', async () => {
    const make =
      'mkdir -p .husky a && echo x > .husky/pre-commit && echo x > a/.envrc && echo x > a/plain.txt';
    const { detent, model } = await scripted(
      [shell({ command: make }), shell({ command: 'false' }), { text: 'ok' }],
      allowed,
    );
    await detent.run('go').result;
    const [first, second] = model.requests.slice(1).map((request) => JSON.stringify(request.messages.at(-1)));
    expect(first).toContain('no person approved that it made .husky (by which git can be made to execute');
    expect(first).toContain('a/.envrc (by which direnv');
    expect(first).not.toContain('plain.txt');
    expect(second).not.toContain('no person approved');
  });

  it('hides its database, wherever in the workspace that is', async () => {
    const { detent, model, workspace } = await scripted(
      [shell({ command: 'ls -A . .detent; cat data/*; echo x > data/runs.db' }), { text: 'ok' }],
      { ...allowed, store: undefined, database: { file: 'data/runs.db' } },
    );
    await detent.run('my secret prompt').result;
    expect(await readdir(join(workspace, 'data'))).toContain('runs.db');
    const said = model.requests.at(-1)?.messages.at(-1);
    expect(JSON.stringify(said)).toContain('Permission denied');
    expect(JSON.stringify(said)).not.toContain('SQLite format');
  });

  it('leaves no process when Detent is killed', async () => {
    const mark = marker();
    const workspace = await newWorkspace({
      'detent.config.json': JSON.stringify({ policy: { confirm: { shell: false } } }),
    });
    const call = (args: object) => ({ calls: [{ name: 'shell', arguments: args }] });
    const provider = await answering(
      call({ command: `sleep ${mark}`, background: true }),
      call({ command: `sleep ${mark} & setsid sleep ${mark}; wait` }),
    );
    const live = workspace.start(['run', 'go', ...by(provider)]);
    await until('all three', () => processesWith(`sleep\0${mark}`).length >= 3);
    live.kill('SIGKILL');
    await live.ended;
    expect(await leftOf(mark)).toEqual([]);
    // The outcome of the interrupted command is unknown; the first command is reported as gone.
    const { view } = await workspace.json([
      'runs',
      'resume',
      (await workspace.lookAtOne()).runId,
      ...at(provider),
    ]);
    expect(view).toMatchObject({ status: 'waiting' });
  });
});

describe('the shell tools', () => {
  it('are off, with the reason, where the sandbox is missing', async () => {
    const workspace = await newWorkspace();
    const { code, stdout } = await workspace.detent(['tools', 'list'], {
      env: { DETENT_TOOLS_DISABLED: 'shell' },
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^shell +unsafe +off \(configuration: tools\.disabled has it\)/m);
  });

  it('run without a sandbox where that is named', async () => {
    const { detent, model } = await scripted(
      [shell({ command: 'echo "$0"; ls -d /etc/hosts' }), { text: 'ok' }],
      { ...allowed, sandbox: 'none' },
    );
    await detent.run('go').result;
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('/etc/hosts');
    const shown = (await detent.tools.list()).find(({ name }) => name === 'shell');
    expect(shown?.description).toContain('no sandbox');
  });
});

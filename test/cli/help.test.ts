import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bareWorkspace, newWorkspace } from '../support/cli.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

describe.concurrent('help', () => {
  it.each([[['--help']], [['-h']], [['help']], [[]]])('%j tells of all commands on stdout', async (args) => {
    const workspace = await newWorkspace();
    const ended = await workspace.detent(args);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    for (const part of ['run PROMPT', 'chat', 'runs list', 'runs resume', 'machine show', '124'])
      expect(ended.stdout).toContain(part);
  });

  it.each([
    [
      ['run', '--help'],
      ['--session', '--mode', '--model', '--api', '--base-url', '--api-key-env', '--workspace'],
    ],
    [
      ['help', 'run'],
      ['--db', '--approve', '--tools', '--system', '--max-steps', '--max-tokens', '--max-retries'],
    ],
    [
      ['run', 'a prompt', '-h'],
      ['--timeout', '--json', '--jsonl', '--quiet'],
    ],
    [
      ['runs', '--help'],
      ['list', 'show', 'confirm', 'reconcile', 'resume'],
    ],
    [
      ['runs', 'confirm', '--help'],
      ['--approve', '--reject', '--modify', '--hash', '--reason', '--json'],
    ],
    [
      ['runs', 'reconcile', '--help'],
      ['--ran', '--retry', '--skip'],
    ],
    [
      ['runs', 'resume', '--help'],
      ['--all', '--jsonl'],
    ],
    [['chat', '--help'], ['--session']],
    [['machine', 'show', '--help'], ['mermaid']],
  ])('%j names %j', async (args, flags) => {
    const workspace = await newWorkspace();
    const ended = await workspace.detent(args);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    for (const flag of flags) expect(ended.stdout).toContain(flag);
  });

  it('fits into 120 columns', async () => {
    const workspace = await newWorkspace();
    for (const args of [[], ['run'], ['runs'], ['runs', 'confirm'], ['chat'], ['machine', 'show']]) {
      const { stdout } = await workspace.detent([...args, '--help']);
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
    }
  });

  it('--version is the package’s', async () => {
    const workspace = await newWorkspace();
    expect(await workspace.detent(['--version'])).toMatchObject({
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    });
  });
});

describe.concurrent('an unknown command', () => {
  it.each([
    [['frobnicate'], 'frobnicate'],
    [['runs'], 'list'],
    [['runs', 'frobnicate'], 'frobnicate'],
    [['machine'], 'show'],
    [['run', 'hi', '--frobnicate'], '--frobnicate'],
    [['run', 'hi', '--model'], '--model'],
    [['runs', 'list', 'extra'], 'extra'],
    [['runs', 'show'], 'RUN'],
    [['runs', 'confirm', 'run_none', '--approve'], 'CALL'],
    [['run', 'hi', '--mode', 'jump'], 'queue, steer, interrupt'],
    [['constructor'], 'constructor'],
    [['runs', 'shwo'], 'did you mean "detent runs show"?'],
    [['resume'], 'did you mean "detent runs resume" or "detent cron resume"?'],
    [['run', 'hi', '--modle', 'x'], '--model'],
  ])('%j is a usage error that says so on one line', async (args, part) => {
    const workspace = await newWorkspace();
    const ended = await workspace.detent(args);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(part);
    expect(ended.stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe.concurrent('machine show', () => {
  const states = [
    'idle',
    'requesting',
    'backingOff',
    'executing',
    'awaitingConfirm',
    'reconciling',
    'cancelled',
  ];

  it('draws Mermaid by default', async () => {
    const workspace = await newWorkspace();
    const plain = await workspace.detent(['machine', 'show']);
    expect(plain).toMatchObject({ code: 0, stderr: '' });
    expect(plain.stdout).toMatch(/^stateDiagram-v2\n/);
    for (const state of states) expect(plain.stdout).toContain(state);
    const named = await workspace.detent(['machine', 'show', '--format', 'mermaid']);
    expect(named.stdout).toBe(plain.stdout);
  });

  it('prints JSON that holds every state', async () => {
    const workspace = await newWorkspace();
    const { code, stdout } = await workspace.detent(['machine', 'show', '--format', 'json']);
    expect(code).toBe(0);
    const machine = JSON.parse(stdout) as { id: string; states: object };
    expect(machine.id).toBe('run');
    expect(Object.keys(machine.states)).toEqual(['idle', 'active', 'done', 'failed', 'cancelled']);
    for (const state of states) expect(stdout).toContain(`"${state}"`);
  });

  it('draws DOT', async () => {
    const workspace = await newWorkspace();
    const { code, stdout } = await workspace.detent(['machine', 'show', '--format=dot']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^digraph/);
    for (const state of states) expect(stdout).toContain(state);
    expect(stdout.split('{').length).toBe(stdout.split('}').length);
  });

  it('draws the chart of a scheduled job, too, and names the nearest of an unknown one', async () => {
    const workspace = await newWorkspace();
    const { code, stdout } = await workspace.detent(['machine', 'show', 'job']);
    expect(code).toBe(0);
    for (const state of ['due', 'scheduled', 'delivering', 'paused']) expect(stdout).toContain(state);
    const json = await workspace.detent(['machine', 'show', 'job', '--format', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ id: 'job' });
    const run = await workspace.detent(['machine', 'show', 'run']);
    expect(run.stdout).toBe((await workspace.detent(['machine', 'show'])).stdout);
    expect(await workspace.detent(['machine', 'show', 'jobs'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no machine "jobs"; did you mean "job"?'),
    });
  });

  it('needs no workspace, and makes no database', async () => {
    const workspace = await bareWorkspace();
    await workspace.detent(['machine', 'show']);
    expect(readdirSync(workspace.folder)).toEqual([]);
  });

  it('knows no other format', async () => {
    const workspace = await newWorkspace();
    const ended = await workspace.detent(['machine', 'show', '--format', 'png']);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('mermaid, json, dot');
  });
});

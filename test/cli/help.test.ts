import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bareWorkspace, newWorkspace } from '../support/cli.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

describe.concurrent('help', () => {
  it.each([[['--help']], [['-h']], [['help']], [[]]])(
    '%j tells of the ten commands of a first week, and where the others are',
    async (args) => {
      const workspace = await newWorkspace();
      const { stdout, ...ended } = await workspace.detent(args);
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      const [, commands = ''] = /^Commands:\n((?: .*\n)+)/m.exec(stdout) ?? [];
      expect(commands.match(/^ {2}\S/gm)).toHaveLength(10);
      for (const part of ['run PROMPT', 'chat', 'runs list', 'runs resume', '124', '"detent --help --all"'])
        expect(stdout).toContain(part);
    },
  );

  it.each([[['--help', '--all']], [['--all', '--help']], [['help', '--all']]])(
    '%j tells of all commands',
    async (args) => {
      const workspace = await newWorkspace();
      const ended = await workspace.detent(args);
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      for (const part of ['run PROMPT', 'runs list', 'runs resume', 'machine show', 'trust', '124'])
        expect(ended.stdout).toContain(part);
      expect(ended.stdout).not.toContain('first week');
    },
  );

  it('of a command is what an error in its use names', async () => {
    const workspace = await newWorkspace();
    for (const [args, help] of [
      [['frobnicate'], 'detent --help'],
      [['run', 'hi', '--frobnicate'], 'detent run --help'],
      [['runs', 'list', '--limit', '0'], 'detent runs list --help'],
      [['runs', 'shwo'], 'detent runs --help'],
    ] as const) {
      const { code, stderr } = await workspace.detent(args);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`; see "${help}"`) });
    }
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

  it('draws the charts of a scheduled job and of a takeover, too, and names the nearest of an unknown one', async () => {
    const workspace = await newWorkspace();
    const { code, stdout } = await workspace.detent(['machine', 'show', 'job']);
    expect(code).toBe(0);
    for (const state of ['due', 'scheduled', 'delivering', 'paused']) expect(stdout).toContain(state);
    const json = await workspace.detent(['machine', 'show', 'job', '--format', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ id: 'job' });
    const takeover = await workspace.detent(['machine', 'show', 'takeover']);
    for (const state of ['idle', 'waiting', 'taken']) expect(takeover.stdout).toContain(state);
    const run = await workspace.detent(['machine', 'show', 'run']);
    expect(run.stdout).toBe((await workspace.detent(['machine', 'show'])).stdout);
    expect(await workspace.detent(['machine', 'show', 'jobs'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no machine "jobs"; did you mean "job"?'),
    });
  });

  it.each([
    ['runz', '"detent run" or "detent runs"'],
    ['crn', '"detent cron"'],
  ])('names the groups of commands, too, that %s may mean', async (word, meant) => {
    const workspace = await newWorkspace();
    expect(await workspace.detent([word])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`did you mean ${meant}`),
    });
  });

  it('draws the chart of a run, marked where it stands', async () => {
    const workspace = await newWorkspace();
    await workspace.detent(['run', '--model', 'demo/demo', 'what is 17 * 23?']);
    const { stdout, stderr } = await workspace.detent(['machine', 'show', 'last']);
    expect(stderr).toMatch(/^run run_\w+ is in done\n$/);
    const plain = (await workspace.detent(['machine', 'show'])).stdout;
    expect(stdout).toMatch(/^ {2}class done here$/m);
    expect(stdout.startsWith(plain)).toBe(true);
    const show = (format: string) => workspace.detent(['machine', 'show', 'last', '--format', format]);
    expect((await show('dot')).stdout).toMatch(/^ {2}done \[.*fillcolor=/m);
    expect(JSON.parse((await show('json')).stdout)).toMatchObject({ name: 'run', at: ['done'] });
    expect((await workspace.detent(['machine', 'show', 'run_none'])).code).toBe(4);
  });

  it('needs no workspace, and makes no database', async () => {
    const workspace = await bareWorkspace();
    await workspace.detent(['machine', 'show']);
    expect(readdirSync(workspace.folder)).toEqual([]);
  });
});

import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findPlace } from '../../../../src/cli/commands/completion/find-place.ts';
import { allNodes, completionTree } from '../../../../src/cli/commands/completion/tree.ts';
import { createProgram } from '../../../../src/cli/program.ts';
import { answering, bareWorkspace, by } from '../../../support/cli.ts';
import { filledWorkspace } from './support.ts';

const { workspace, runOf } = filledWorkspace();

describe('the words that can be completed', async () => {
  const nodes = allNodes(completionTree(await createProgram()));
  const find = (path: string) => nodes.find((node) => node.path.join(' ') === path);
  const option = (path: string, name: string) =>
    find(path)?.options.find(({ names }) => names.includes(name))?.value;

  it('are those of the commands, none left out', async () => {
    const commands = (await createProgram()).commands.map((command) => command.name());
    expect(find('')?.commands.map(({ path }) => path[0])).toEqual([...commands, 'help']);
  });

  it.each([
    ['run', '--approve', { kind: 'choices', choices: ['ask', 'all', 'none'] }],
    ['machine show', '--format', { kind: 'choices', choices: ['mermaid', 'json', 'dot'] }],
    ['run', '--workspace', { kind: 'folders' }],
    ['run', '--db', { kind: 'files' }],
    ['run', '--system', { kind: 'files' }],
    ['chat', '--session', { kind: 'sessions' }],
    ['run', '--agent', { kind: 'agents' }],
    ['run', '--model', { kind: 'models' }],
    ['run', '--max-steps', { kind: 'anything' }],
    ['run', '--api-key-env', { kind: 'anything' }],
    ['runs confirm', '--approve', null],
    ['run', '--json', null],
  ])('%s %s', (path, name, value) => {
    expect(option(path, name)).toEqual(value);
  });

  it('stand behind every command, and every flag behind its hyphen', () => {
    const root = find('');
    if (!root) throw new Error('there is no root');
    for (const { path, commands, options } of nodes) {
      const wordsAt = (typed: string) => {
        const { offered } = findPlace(root, [...path, typed]);
        return offered.kind === 'words' ? offered.words.map(([word]) => word) : [];
      };
      expect(wordsAt('')).toEqual(commands.map((child) => child.path.at(-1)));
      expect(wordsAt('-')).toEqual(options.map(({ names: [long] }) => long));
    }
  });

  it('have a line that says what they are for', () => {
    for (const { path, about, options } of nodes) {
      expect(about, path.join(' ')).not.toBe('');
      for (const { names, about } of options) expect(about, names.join()).not.toBe('');
    }
  });
});

describe.concurrent('completion', () => {
  it('needs no workspace, and makes no database', async () => {
    const bare = await bareWorkspace();
    await bare.detent(['completion', 'bash']);
    await bare.detent(['__complete', 'runs', 'show', '']);
    expect(existsSync(bare.path('.detent'))).toBe(false);
  });
});

/** The shortest beginning of a run's id that no other run has. */
function uniqueBeginning(runId: string): string {
  const others = ['a waiting one', 'cron:daily', 'holiday'].map(runOf).filter((other) => other !== runId);
  let length = 'run_'.length + 1;
  while (others.some((other) => other.startsWith(runId.slice(0, length)))) length += 1;
  return runId.slice(0, length);
}

describe.concurrent('the ids of the database', () => {
  const ask = async (...args: string[]) => {
    const { stdout } = await workspace().detent(['__complete', ...args]);
    // The first line says what the others are.
    return stdout
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split('\t')[0]);
  };

  it('are the runs, the newest first, each with what it is', async () => {
    const { code, stdout, stderr } = await workspace().detent(['__complete', 'runs', 'show', '']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [first, ...lines] = stdout.slice(0, -1).split('\n');
    expect(first).toBe('words\t');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toBe(`${runOf('a waiting one')}\t${lines[0]?.split('\t')[1]}`);
    expect(lines[0]).toMatch(/\twaiting, \d{4}-\d\d-\d\d \d\d:\d\d, a waiting one$/);
  });

  it('are the runs that the command is for', async () => {
    expect(await ask('runs', 'confirm', '')).toEqual([runOf('a waiting one')]);
    expect(await ask('runs', 'resume', '')).toEqual([runOf('a waiting one')]);
  });

  it('are the calls of a run that wait', async () => {
    expect(await ask('runs', 'confirm', runOf('a waiting one'), '')).toEqual(['c2']);
    expect(await ask('runs', 'reconcile', runOf('a waiting one'), '')).toEqual([]);
  });

  it('are the calls of a run that is named by a beginning of its id, or as the last one', async () => {
    const beginning = uniqueBeginning(runOf('a waiting one'));
    expect(await ask('runs', 'confirm', beginning, '')).toEqual(['c2']);
    expect(await ask('runs', 'confirm', 'last', '')).toEqual(['c2']);
    const db = ['--db', workspace().path('.detent/detent.db')];
    expect(await ask('runs', 'confirm', ...db, 'last', '')).toEqual(['c2']);
    for (const none of ['run_', 'run_none', 'lost', ''])
      expect(await ask('runs', 'confirm', none, ''), none).toEqual([]);
  });

  it('are the sessions', async () => {
    expect((await ask('chat', '--session', '')).sort()).toEqual(['a waiting one', 'cron:daily', 'holiday']);
  });

  it('are those of the workspace or database that is named on the line', async () => {
    const other = await bareWorkspace();
    const args = ['__complete', 'run', '--workspace', workspace().folder, '--session', ''];
    expect((await other.detent(args)).stdout).toContain('holiday');
    const db = `--db=${workspace().path('.detent/detent.db')}`;
    expect((await other.detent(['__complete', 'run', db, '--session', ''])).stdout).toContain('holiday');
  });

  it('can be asked for beside a live process', async () => {
    const busy = await bareWorkspace();
    const provider = await answering({ text: 'half', ending: 'hang' });
    const live = busy.start(['run', 'hi', '--session', 'live', ...by(provider)]);
    await live.saw('stdout', /half/);
    const { stdout } = await busy.detent(['__complete', 'runs', 'show', '']);
    expect(stdout).toMatch(/^words\t\nrun_\w+\trunning, .*, live\n$/);
  });

  it.each([
    ['a broken configuration', { 'detent.config.json': '{' }, []],
    ['a configuration that prints', { 'detent.config.js': 'console.log("hi"); export default {};' }, []],
    ['a workspace that is not there', {}, ['--workspace', 'missing']],
    ['a database that is none', { file: 'a letter' }, ['--db', 'file']],
    ['a flag without its value', {}, ['--workspace']],
  ])('are none, without a word, with %s', async (_, files, words) => {
    const bare = await bareWorkspace(files);
    const { code, stdout } = await bare.detent(['__complete', 'runs', 'show', ...words, '']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^(words|folders)\t\n$/) });
  });

  it('are agents and models of the configuration, before there is a database', async () => {
    const bare = await bareWorkspace({
      'detent.config.json': JSON.stringify({
        agents: { brief: { systemPrompt: 'Be brief.' } },
        models: { house: { baseUrl: 'http://127.0.0.1:9/v1', models: { 'qwen3:8b': {}, '*': {} } } },
      }),
    });
    expect((await bare.detent(['__complete', 'run', '--agent', ''])).stdout).toBe(
      'words\t\ndefault\tagent\nbrief\tagent\n',
    );
    const { stdout } = await bare.detent(['__complete', 'run', '--model', '']);
    expect(stdout).toMatch(/^words\t\nhouse\/qwen3:8b\tof the configuration\n/);
    expect(stdout).toMatch(/^openai\/\S+\tkey: OPENAI_API_KEY$/m);
    expect(stdout).not.toContain('*');
  });

  it('are none where any text may stand', async () => {
    expect((await workspace().detent(['__complete', 'run', '--max-steps', ''])).stdout).toBe('');
    expect((await workspace().detent(['__complete', 'unicorns', ''])).stdout).toBe('words\t\n');
  });
});

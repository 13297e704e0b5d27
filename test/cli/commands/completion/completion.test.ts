import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { findPlace } from '../../../../src/cli/commands/completion/find-place.ts';
import { allNodes, completionTree } from '../../../../src/cli/commands/completion/tree.ts';
import { createProgram } from '../../../../src/cli/program.ts';
import { afterwards } from '../../../support/afterwards.ts';
import {
  answering,
  bareWorkspace,
  by,
  hasTerminals,
  newWorkspace,
  type Workspace,
} from '../../../support/cli.ts';
import { describeWith } from '../../../support/needs.ts';

const execute = promisify(execFile);
const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];
const pathOf = (shell: Shell) =>
  ['/usr/bin', '/bin', '/usr/local/bin']
    .map((folder) => `${folder}/${shell}`)
    .find((path) => existsSync(path));

/** Nothing of the machine's own settings; and no `detent` on the path, so that the script asks the program at hand. */
const environment = (home: string) => ({
  PATH: '/usr/bin:/bin',
  HOME: home,
  DETENT_HOME: `${home}/.detent`,
  DETENT_TRUST: '1',
  TERM: 'xterm',
  LC_ALL: 'C.UTF-8',
});

/** A workspace with a finished run, one that waits, sessions, files and folders; and the scripts, one for each shell. */
async function filled(): Promise<Workspace> {
  const workspace = await newWorkspace({ 'notes.txt': 'x', 'nothing.md': 'x' });
  await mkdir(workspace.path('my folder'));
  await workspace.withLibrary(async (detent) => {
    for (const session of ['holiday', 'cron:daily'])
      await detent.run('hello', { sessionId: session, model: 'demo/demo' }).result;
    await detent.run('write "x" to a.txt', { sessionId: 'a waiting one', model: 'demo/demo' }).result;
  });
  for (const shell of shells) {
    const { code, stdout, stderr } = await workspace.detent(['completion', shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await workspace.write(`.detent/completion.${shell}`, stdout);
  }
  return workspace;
}

let workspace: Workspace;
let runs: { runId: string; sessionId: string; status: string }[];
const runOf = (session: string) => runs.find(({ sessionId }) => sessionId === session)?.runId ?? '';

beforeAll(async () => {
  workspace = await filled();
  runs = await workspace.withLibrary((detent) => detent.runs.list(), { readonly: true });
});

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
    const { stdout } = await workspace.detent(['__complete', ...args]);
    // The first line says what the others are.
    return stdout
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split('\t')[0]);
  };

  it('are the runs, the newest first, each with what it is', async () => {
    const { code, stdout, stderr } = await workspace.detent(['__complete', 'runs', 'show', '']);
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
    const db = ['--db', workspace.path('.detent/detent.db')];
    expect(await ask('runs', 'confirm', ...db, 'last', '')).toEqual(['c2']);
    for (const none of ['run_', 'run_none', 'lost', ''])
      expect(await ask('runs', 'confirm', none, ''), none).toEqual([]);
  });

  it('are the sessions', async () => {
    expect((await ask('chat', '--session', '')).sort()).toEqual(['a waiting one', 'cron:daily', 'holiday']);
  });

  it('are those of the workspace or database that is named on the line', async () => {
    const other = await bareWorkspace();
    const args = ['__complete', 'run', '--workspace', workspace.folder, '--session', ''];
    expect((await other.detent(args)).stdout).toContain('holiday');
    const db = `--db=${workspace.path('.detent/detent.db')}`;
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
    expect((await workspace.detent(['__complete', 'run', '--max-steps', ''])).stdout).toBe('');
    expect((await workspace.detent(['__complete', 'unicorns', ''])).stdout).toBe('words\t\n');
  });
});

describeWith(pathOf('bash') !== undefined, 'no bash')('bash offers', () => {
  /** Takes a line apart as bash does for a completion: at white space, and at runs of =, : and @. */
  function split(line: string): string[] {
    const words = line.match(/[=:@]+|[^\s=:@]+/g) ?? [];
    return /\s$/.test(line) ? [...words, ''] : words;
  }

  async function offered(line: string): Promise<string[]> {
    const script = `
      source .detent/completion.bash
      COMP_LINE=$1 COMP_POINT=\${#1}
      shift
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
      _detent
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = await execute(
      pathOf('bash') ?? '',
      ['--norc', '--noprofile', '-c', script, 'bash', line, ...split(line)],
      { cwd: workspace.folder, env: environment(workspace.folder) },
    );
    expect(stderr).toBe('');
    return stdout.split('\n').filter((word) => word !== '');
  }

  it.each([
    ['detent ru', ['run', 'runs']],
    ['detent run --approve a', ['ask', 'all']],
    ['detent run --approve=a', ['ask', 'all']],
    ['detent run --approve=', ['ask', 'all', 'none']],
    ['detent run --approv', ['--approve']],
    ['detent run --model runs --appr', ['--approve']],
    ['detent runs confirm --approve --rea', ['--reason']],
    ['detent run -- --appr', []],
    ['detent run --system @not', ['notes.txt', 'nothing.md']],
    ['detent run --db=notes', ['notes.txt']],
    ['detent run --workspace m', ['my folder']],
    ['detent chat --session cron:', ['daily']],
    ['detent chat --session=cron:d', ['daily']],
    ['detent chat --session a', ['a\\ waiting\\ one']],
    ['detent run --max-steps ', []],
  ])('%s', async (line, words) => {
    expect((await offered(line)).sort()).toEqual([...words].sort());
  });

  it('the runs and calls of the database', async () => {
    expect(await offered('detent runs confirm last ')).toEqual(['c2']);
    expect(await offered('detent runs show run_')).toHaveLength(3);
    expect(await offered('detent runs confirm ')).toEqual([runOf('a waiting one')]);
    expect(await offered(`detent runs confirm ${runOf('a waiting one')} `)).toEqual(['c2']);
  });
});

/** What every shell makes of a line with tabulators in it: the words that the command gets. */
const typed: [line: string, words: () => string[]][] = [
  ['detent comp\t zs\t', () => ['completion', 'zsh']],
  ['detent run --appr\tas\t', () => ['run', '--approve', 'ask']],
  ['detent run --approve=as\t', () => ['run', '--approve=ask']],
  ['detent run --db not\tes\t', () => ['run', '--db', 'notes.txt']],
  ['detent run --workspace my\t', () => ['run', '--workspace', 'my folder']],
  ['detent chat --session ho\t', () => ['chat', '--session', 'holiday']],
  ['detent run --model demo/d\t', () => ['run', '--model', 'demo/demo']],
  ['detent chat --session cron:d\t', () => ['chat', '--session', 'cron:daily']],
  ['detent runs confirm \tc\t', () => ['runs', 'confirm', runOf('a waiting one'), 'c2']],
];

/** A shell on a terminal of its own, in the workspace, with a `detent` that says which words it got. */
class TypedShell {
  readonly #child: ChildProcess;
  #output = '';

  constructor(command: string, home: string) {
    this.#child = spawn('/usr/bin/script', ['-qfec', `exec ${command}`, '/dev/null'], {
      cwd: home,
      env: environment(home),
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
    });
    afterwards(() => void this.#child.kill('SIGKILL'));
  }

  /** Types something and waits for what the pattern finds behind it. */
  async type(text: string, pattern: RegExp): Promise<RegExpExecArray> {
    const from = this.#output.length;
    this.#child.stdin?.write(text);
    for (;;) {
      const match = pattern.exec(this.#output.slice(from));
      if (match) return match;
      if (this.#child.exitCode !== null) throw new Error(`the shell ended: ${this.#output}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async words(line: string): Promise<string[]> {
    const [, words = ''] = await this.type(`${line}\r`, /GOT([^\r\n]*)TOG/);
    // zsh takes the slash behind a folder back when the line is accepted; bash leaves it.
    return words
      .split('|')
      .slice(1)
      .map((word) => word.replace(/\/$/, ''));
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }
}

const reporter = `detent() { printf GOT; printf '|%s' "$@"; printf 'TOG\\n'; }`;

describeWith(hasTerminals && pathOf('bash') !== undefined, 'no bash on a terminal')('bash, typed', () => {
  it('completes', async () => {
    const shell = new TypedShell('bash --norc --noprofile -i', workspace.folder);
    await shell.type(`${reporter}; source .detent/completion.bash; echo rea''dy\r`, /ready/);
    for (const [line, words] of typed) expect(await shell.words(line), line).toEqual(words());
    shell.end();
  });
});

describeWith(
  hasTerminals && pathOf('zsh') !== undefined,
  'no zsh on a terminal',
  true,
)('zsh, typed', () => {
  it('completes', async () => {
    const shell = new TypedShell('zsh -f -i', workspace.folder);
    const start = `PS1=; unsetopt zle_bracketed_paste beep 2>/dev/null; autoload -Uz compinit; compinit -u -D; ${reporter}`;
    await shell.type(`${start}; source .detent/completion.zsh; echo rea''dy\r`, /ready/);
    for (const [line, words] of typed) expect(await shell.words(line), line).toEqual(words());
    shell.end();
  });

  it('says what it needs when compinit was not called', async () => {
    const { stderr } = await execute(pathOf('zsh') ?? '', ['-f', '-c', 'source .detent/completion.zsh'], {
      cwd: workspace.folder,
      env: environment(workspace.folder),
    });
    expect(stderr).toContain('compinit');
  });
});

describeWith(
  pathOf('fish') !== undefined,
  'no fish',
  true,
)('fish offers', () => {
  async function offered(line: string): Promise<string[]> {
    const script = 'source .detent/completion.fish; complete -C $argv[1]';
    const { stdout, stderr } = await execute(pathOf('fish') ?? '', ['--no-config', '-c', script, line], {
      cwd: workspace.folder,
      env: environment(workspace.folder),
    });
    expect(stderr).toBe('');
    return stdout
      .split('\n')
      .filter((offer) => offer !== '')
      .map((offer) => offer.split('\t')[0] ?? '');
  }

  it.each([
    ['detent ru', ['run', 'runs']],
    ['detent run --approve a', ['all', 'ask']],
    ['detent run --approve=a', ['--approve=all', '--approve=ask']],
    ['detent run --approv', ['--approve']],
    ['detent run --db notes', ['notes.txt']],
    ['detent run --workspace m', ['my folder/']],
    ['detent chat --session ho', ['holiday']],
    ['detent chat --session cron:d', ['cron:daily']],
    ['detent chat --session a', ['a waiting one']],
  ])('%s', async (line, words) => {
    expect((await offered(line)).sort()).toEqual(words);
  });

  it('the runs and calls of the database', async () => {
    expect(await offered('detent runs show run_')).toHaveLength(3);
    expect(await offered('detent runs confirm ')).toEqual([runOf('a waiting one')]);
    expect(await offered(`detent runs confirm ${runOf('a waiting one')} `)).toEqual(['c2']);
  });
});

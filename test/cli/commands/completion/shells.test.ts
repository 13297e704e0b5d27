import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { afterwards } from '../../../support/afterwards.ts';
import { hasTerminals } from '../../../support/cli.ts';
import { describeWith } from '../../../support/needs.ts';
import { filledWorkspace, type shells } from './support.ts';

const execute = promisify(execFile);
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

const { workspace, runOf } = filledWorkspace();

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
      { cwd: workspace().folder, env: environment(workspace().folder) },
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
    const shell = new TypedShell('bash --norc --noprofile -i', workspace().folder);
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
    const shell = new TypedShell('zsh -f -i', workspace().folder);
    const start = `PS1=; unsetopt zle_bracketed_paste beep 2>/dev/null; autoload -Uz compinit; compinit -u -D; ${reporter}`;
    await shell.type(`${start}; source .detent/completion.zsh; echo rea''dy\r`, /ready/);
    for (const [line, words] of typed) expect(await shell.words(line), line).toEqual(words());
    shell.end();
  });

  it('says what it needs when compinit was not called', async () => {
    const { stderr } = await execute(pathOf('zsh') ?? '', ['-f', '-c', 'source .detent/completion.zsh'], {
      cwd: workspace().folder,
      env: environment(workspace().folder),
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
      cwd: workspace().folder,
      env: environment(workspace().folder),
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

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterwards } from '../support/afterwards.ts';
import { compileCache } from '../support/compile-cache.ts';
import { expectReplaysIn } from '../support/left-behind.ts';
import { programFile } from '../support/program.ts';
import { runHere } from '../support/run-here.ts';
import { root } from './markdown.ts';

interface Said {
  code: number | null;
  /** What came on stdout and stderr. */
  lines: string[];
}

/** A shell in an empty folder, where `detent` is the command line of this repository. */
export interface Terminal {
  readonly folder: string;
  type(command: string, options?: TypeOptions): Promise<Said>;
}

interface TypeOptions {
  env?: Record<string, string>;
  /** Whether these lines are all that the command is to say: it is stopped then, and not after so many seconds. */
  isEnough?: (lines: readonly string[]) => boolean;
}

export async function newTerminal(): Promise<Terminal> {
  const home = await mkdtemp(join(tmpdir(), 'detent-docs-'));
  afterwards(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
  const folder = join(home, 'work');
  const bin = join(home, 'bin');
  await mkdir(folder);
  afterwards(() => expectReplaysIn(folder));
  await mkdir(bin);
  await writeFile(
    join(bin, 'detent'),
    `#!/bin/sh\nexec '${process.execPath}' '${programFile('src/cli/main')}' "$@"\n`,
  );
  await chmod(join(bin, 'detent'), 0o755);
  // A reader agrees to the files that the page has them write.
  const own = { HOME: home, DETENT_HOME: join(home, '.detent'), DETENT_TRUST: '1' };
  const path = [bin, join(root, 'node_modules/.bin'), process.env.PATH].join(':');
  return {
    folder,
    async type(command, { env = {}, isEnough } = {}) {
      // What a chart prints comes on the console of its process.
      const isElsewhere = existsSync(join(folder, 'machines'));
      const call = isElsewhere ? null : plainCall(command);
      if (call) {
        const { code, stdout, stderr } = await runHere(call.args, {
          cwd: folder,
          env: { PATH: path, ...own, ...env, ...call.env },
        });
        return { code, lines: `${stdout}\n${stderr}`.split('\n') };
      }
      return new Promise((resolve, reject) => {
        const child = spawn('bash', ['-c', command], {
          cwd: folder,
          // Nothing of the machine's own settings and keys may reach a session.
          env: { ...compileCache, PATH: path, ...own, ...env },
          stdio: [isEnough ? 'pipe' : 'ignore', 'pipe', 'pipe'],
        });
        const said: string[] = ['', ''];
        for (const [i, stream] of [child.stdout, child.stderr].entries())
          stream?.setEncoding('utf8').on('data', (text: string) => {
            said[i] += text;
            if (isEnough?.(said.join('\n').split('\n'))) child.stdin?.end();
          });
        child.once('error', reject);
        child.once('close', (code) => resolve({ code, lines: said.join('\n').split('\n') }));
      });
    },
  };
}

/** A call of `detent` that needs nothing of a shell but quotes, variables and an empty stdin; null for anything else. */
function plainCall(command: string): { args: string[]; env: Record<string, string> } | null {
  const [, variables = '', words] =
    /^((?:[A-Z_]+=[\w@]+ )*)detent((?: (?:'[^']*'|"[^"$`\\]*"|[\w./:@,=+%-]+))*)(?: < \/dev\/null)?$/.exec(
      command,
    ) ?? [];
  if (words === undefined) return null;
  return {
    args: (words.match(/'[^']*'|"[^"]*"|[^ ]+/g) ?? []).map((word) => word.replace(/^(['"])(.*)\1$/s, '$2')),
    env: Object.fromEntries([...variables.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value])),
  };
}

const anyId = /\b(?:run|ses)_[0-9a-z]{16}\b/g;
const anyTime = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/g;
/** Which slots there are, and how many a downtime has, depends on the machine. */
const anySlots = /#\d+(?:: \d+ slots)?/g;

interface Step {
  command: string;
  shown: string[];
}

/**
 * Types the commands of a session (`$ …`) and looks for the lines that the document shows below each: all of them must
 * come, in any order, among others. Ids and times may differ from those shown, ids always in the same way.
 *
 * @param ids what the document's ids are here; grows.
 * @returns what is shown and never came, with all that came instead.
 */
export async function playSession(
  text: string,
  terminal: Terminal,
  ids: Map<string, string>,
): Promise<string[]> {
  const missing: string[] = [];
  let last: Said = { code: 0, lines: [] };
  for (const { command, shown } of stepsOf(text)) {
    if (command === 'echo $?') last = { code: 0, lines: [String(last.code)] };
    else last = await typeIn(terminal, { command, shown }, ids);
    const unread = [...last.lines];
    for (const line of shown) {
      const at = unread.findIndex((candidate) => learn(line, candidate, ids));
      if (at < 0) missing.push(`$ ${command}\n${line}\n  is not in\n${last.lines.join('\n')}`);
      else unread.splice(at, 1);
    }
  }
  return missing;
}

function typeIn(terminal: Terminal, step: Step, ids: ReadonlyMap<string, string>): Promise<Said> {
  const command = step.command.replaceAll(anyId, (id) => ids.get(id) ?? id);
  const [, begun] = /^(.*) & sleep [\d.]+; kill \$!$/.exec(command) ?? [];
  if (begun === undefined) return terminal.type(command);
  // A reader waits some seconds; a busy machine needs more of them.
  const isEnough = (lines: readonly string[]) =>
    step.shown.every((line) => lines.some((candidate) => blank(candidate) === blank(line)));
  // Stdin ends when that came, or with the process of the test.
  return terminal.type(`${begun} & read -r; kill $!`, { isEnough });
}

function stepsOf(text: string): Step[] {
  const steps: Step[] = [];
  for (const line of text.trimEnd().split('\n'))
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2), shown: [] });
    else if (line.trim() !== '') steps.at(-1)?.shown.push(line);
  return steps;
}

/** Whether a line is the one that is shown; ids that are new are taken from it. */
function learn(shown: string, actual: string, ids: Map<string, string>): boolean {
  if (blank(shown) !== blank(actual)) return false;
  const here = actual.match(anyId) ?? [];
  const pairs = (shown.match(anyId) ?? []).map((id, i) => [id, here[i] ?? ''] as const);
  if (pairs.some(([id, found]) => (ids.get(id) ?? found) !== found)) return false;
  for (const [id, found] of pairs) ids.set(id, found);
  return true;
}

function blank(line: string): string {
  return line.replaceAll(anyId, 'ID').replaceAll(anyTime, 'TIME').replaceAll(anySlots, 'SLOTS');
}

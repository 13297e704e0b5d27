import { existsSync, readdirSync } from 'node:fs';
import { rm, symlink, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../../src/cli/program.ts';
import { hasTerminals } from '../../support/cli.ts';
import { describeWith } from '../../support/needs.ts';
import { runHere } from '../../support/run-here.ts';
import { inSizes } from '../../support/size.ts';
import { type Attack, configs, type Hostile, hostileFolder, states, treeOf } from './hostile.ts';
import { answer } from './support.ts';

/** Arguments of commands that are refused for other reasons without them. */
const given: Readonly<Record<string, readonly string[]>> = {
  'runs confirm': ['x', 'c2', '--approve'],
  'runs reconcile': ['x', 'c2', '--retry'],
  'runs resume': ['--all'],
  'runs fork': ['x', '--at', '1'],
  'cron add': ['x', '--every', '1h', '--prompt', 'x'],
  'cron update': ['x', '--every', '1h'],
  'cron redeliver': ['x', '1'],
  'cron next': ['@daily'],
  'mcp add': ['x', '--', 'true'],
  'memory forget': ['memory/2026-01-01.md:1', '--yes'],
  'sessions fork': ['x', '--at', 'run_x:1'],
  'workflow answer': ['x', 'x', '--approve'],
  'tenant set': ['x', '--no-workspace'],
  'token create': ['--scope', 'read'],
  trust: [],
};

/** What says nothing of the folder's content, and needs no agreement; a copy takes the files that it is told. */
const harmless = ['machine show', 'cron next', 'config schema', 'completion', 'config path', 'db copy'];
/** They write what they are asked to write, and nothing else: below. */
const writers = ['init', 'skills new'];

/** Every command of the program, with arguments. */
async function commandLines(): Promise<string[][]> {
  return leaves(await createProgram(), []).map((path) => {
    const name = path.map((command) => command.name()).join(' ');
    const command = path.at(-1);
    const words = command?.registeredArguments.map(() => (name === 'completion' ? 'bash' : 'x')) ?? [];
    return [...name.split(' '), ...(given[name] ?? words)];
  });
}

function leaves(command: Command, above: readonly Command[]): Command[][] {
  return command.commands.flatMap((child) => {
    const path = [...above, child];
    return child.commands.length > 0 ? leaves(child, path) : [path];
  });
}

const nameOf = (args: readonly string[]) =>
  [...harmless, ...writers].find((name) => args.join(' ').startsWith(name));

async function attempt({ folder, env }: Hostile, args: readonly string[]) {
  const { DETENT_HOME = '', PATH = '' } = process.env;
  const { code, stdout, stderr } = await runHere(args, {
    cwd: folder.folder,
    env: { DETENT_HOME, PATH, ...env },
  });
  return { args: args.join(' '), code, stdout, stderr };
}

function expectNothingHappened({ folder, outside, requests }: Hostile, before: object): void {
  expect(treeOf(folder.folder)).toEqual(before);
  expect(readdirSync(outside)).toEqual([]);
  expect(requests).toEqual([]);
}

/** Each so many commands one is tried in a folder; others in the next folder. */
const oneOf = inSizes({ usual: 24, deep: 6, full: 1 });

/** Lines that a shell asks the completion of. */
const completed = [
  'run --agent',
  'run --model',
  'skills show',
  'runs show',
  'runs confirm last',
  'chat --session',
];

async function withstands(attack: Attack, nth: number): Promise<void> {
  const hostile = await hostileFolder(attack);
  const before = treeOf(hostile.folder.folder);
  const mine = <T>(list: readonly T[]) => list.filter((_, i) => (i + nth) % oneOf === 0);
  for (const args of mine(await commandLines())) {
    const name = nameOf(args);
    if (name !== undefined && writers.includes(name)) continue;
    const ended = await attempt(hostile, args);
    if (name === undefined) expect(ended).toMatchObject({ args: args.join(' '), code: 3 });
    expectNothingHappened(hostile, before);
  }
  for (const args of mine([[], ['--help'], ['--version'], ['help', 'run'], ['run', '--help']]))
    expect(await attempt(hostile, args)).toMatchObject({ code: 0, stderr: '' });
  for (const line of mine(completed))
    expect(await attempt(hostile, ['__complete', ...line.split(' '), ''])).toMatchObject({
      code: 0,
      stdout: 'words\t\n',
      stderr: '',
    });
  expectNothingHappened(hostile, before);
}

function numbered(attacks: Readonly<Record<string, Attack>>): [string, Attack, number][] {
  return Object.entries(attacks).map(([name, attack], nth) => [name, attack, nth]);
}

describe('no command executes, sends or writes anything in a folder of an attacker that brings as its configuration', () => {
  it.each(numbered(configs))('%s', (_, attack, nth) => withstands(attack, nth));
});

describe('nor in one that brings as its .detent', () => {
  it.each(numbered(states))('%s', (_, attack, nth) => withstands(attack, nth));
});

describe('a command that writes a file', () => {
  it.each([
    ['.gitignore', ['init', '--yaml']],
    ['tools', ['init', '--ts']],
    ['test', ['init', '--yaml']],
    ['detent.config.yaml', ['init', '--yaml', '--force']],
  ])('does not follow a link: %s', async (name, args) => {
    const hostile = await hostileFolder(async ({ folder, outside }) => {
      const target = name.includes('.') ? `${outside}.txt` : outside;
      if (name.includes('.')) await writeFile(target, 'mine\n');
      await symlink(target, folder.path(name));
    });
    await rm(hostile.folder.path('package.json'));
    expect(await attempt(hostile, args)).toMatchObject({ code: 2 });
    expect(readdirSync(hostile.outside)).toEqual([]);
  });
});

describeWith(hasTerminals, 'the program /usr/bin/script is missing')('on a terminal there is', () => {
  it('one question, which lists what the folder wants', async () => {
    const { 'detent.config.yaml': attack } = configs;
    const hostile = await hostileFolder(attack as Attack);
    const { folder, env, outside } = hostile;
    const before = treeOf(folder.folder);
    const { code, stdout } = await answer(folder, ['run', 'hi'], 'n\r', { env });
    expect(code).toBe(3);
    expect(stdout.match(/\[y\/N\]/g)).toHaveLength(1);
    for (const line of [
      /provider +evil: \$\{SERVER\}\/v1 gets OPENAI_API_KEY, SERVER/,
      /provider +openai: \$\{SERVER\}\/v1 gets OPENAI_API_KEY, SERVER/,
      /embeddings +m: \$\{SERVER\}\/e gets OPENAI_API_KEY/,
      /MCP program +s of the configuration: touch /,
      /MCP program +evil of \.mcp\.json: touch /,
      /policy +approve: all: no tool call asks a person/,
      /network +the shop at \$\{SERVER\}\/shop gets what customers ask for, and their credentials/,
      /variable +OPENAI_API_KEY is filled into shop\.http\.headers\.x-key/,
      /sandbox +none: shell commands run directly/,
      /database +\S+detent\.db: a database that this Detent did not make; .* can continue without asking/,
    ])
      expect(stdout).toMatch(line);
    expectNothingHappened(hostile, before);
    expect(existsSync(`${outside}/log`)).toBe(false);
  });
});

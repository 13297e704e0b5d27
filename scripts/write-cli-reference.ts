/**
 * Writes docs/cli.md from the commands themselves.
 *
 *     node scripts/write-cli-reference.ts           # brings it up to date
 *     node scripts/write-cli-reference.ts --check   # exit code 1 when it is out of date
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Command, Option } from 'commander';
import { DetentCommand } from '../src/cli/commands/command.ts';
import { jobOptions, ownerOptions } from '../src/cli/commands/cron/options.ts';
import { createProgram } from '../src/cli/program.ts';
import { exit } from '../src/cli/terminal/exit-codes.ts';

const file = new URL('../docs/cli.md', import.meta.url);

/** Options that several commands take. The page lists each group once, under its heading. */
const commonGroups: readonly {
  heading: string;
  about: string;
  add(command: DetentCommand): DetentCommand;
}[] = [
  {
    heading: 'Place options',
    about: 'Which workspace a command works in, and which database.',
    add: (command) => command.placeOptions(),
  },
  {
    heading: 'Tenant place options',
    about: 'Which folder a command opens whose `--workspace` is that of a tenant, and which database.',
    add: (command) => command.tenantPlaceOptions(),
  },
  {
    heading: 'Gateway options',
    about: 'Which [gateway](gateway.md) performs a command, instead of a database that it opens.',
    add: (command) => command.serverOptions(),
  },
  {
    heading: 'Memory place options',
    about: 'Which workspace a command works in that reads or writes memory: it opens no database.',
    add: (command) => command.memoryPlaceOptions(),
  },
  {
    heading: 'Run options',
    about: 'Which model, tools and limits a run has, and which conversation it belongs to.',
    add: (command) => command.runOptions(),
  },
  {
    heading: 'Job options',
    about:
      'What a [job](schedule.md) does and when, where its results go, and what happens when something goes wrong.',
    add: jobOptions,
  },
  { heading: 'Owner options', about: 'Whose jobs a command means.', add: ownerOptions },
  {
    heading: 'Run output options',
    about: 'What a command prints that drives a run.',
    add: (command) => command.outputOptions(),
  },
  {
    heading: 'JSON option',
    about: 'What a command prints for programs.',
    add: (command) => command.jsonOption(),
  },
];

const meanings: Readonly<Record<keyof typeof exit, string>> = {
  ok: 'completed',
  failed: 'failed: the outcome is in the message and in `--json`',
  usage: 'usage: an empty or too large prompt, an unknown model, a flag that does not exist',
  config: 'the configuration is wrong, a key is missing, or the folder is [not trusted](trust.md)',
  notFound: 'there is no such run, call or folder',
  waiting: 'the run waits for a person, or is queued behind a run that does',
  database: 'the database is locked or unusable',
  deadline: 'the run used up its working time',
  cancelled: 'cancelled',
};

const printed = `What models, tools, servers and files say reaches a terminal only as text. A control character, a mark that reorders text
or a hidden tag is printed as an escape (\`\\u001b\`), in a pipe and a file as well, since both may be shown on a terminal
later. Line ends, tabs, and what scripts and emoji need (joiners, variation selectors) stay. Where a person decides on a
call, every character that a terminal draws as nothing is visible, too (\`\\u200b\`).

\`--json\` and \`--jsonl\` are exact: they write the same characters as escapes of JSON, and a program reads back what was said.`;

if (import.meta.main) {
  const reference = await cliReference();
  const isCheck = process.argv.includes('--check');
  const before = readFileSync(file, { encoding: 'utf8', flag: 'a+' });
  if (before !== reference) {
    if (isCheck) {
      console.error('docs/cli.md is out of date; run: node scripts/write-cli-reference.ts');
      process.exitCode = 1;
    } else writeFileSync(file, reference);
  }
}

/** The help of every command, as Markdown; options that several commands take stand there once. */
export async function cliReference(): Promise<string> {
  const program = await createProgram();
  const groups = commonGroups.map(({ add, ...words }) => ({
    ...words,
    command: add(new DetentCommand().copyInheritedSettings(program).usage('').helpOption(false)),
  }));
  return [
    '# The command line',
    '<!-- Written by scripts/write-cli-reference.ts from the commands themselves. -->',
    'Read this page when you type `detent` and look for a command or a flag. Each command has its own options and\nexamples here; options that several commands take are listed once, under [Common options](#common-options).\n`detent COMMAND --help` prints both.',
    block(program),
    '## Exit codes',
    exitCodes(),
    '## What is printed',
    printed,
    '## Common options',
    'Every command takes `-h, --help`. The line below a command names the groups that it takes besides its own options.',
    ...groups.flatMap(({ heading, about, command }) => [
      `### ${heading}`,
      about,
      block(command, /^Usage:.*\n+/),
    ]),
    ...pages(program).flatMap(([name, command]) => [`## ${name}`, ...pageOf(command, groups)]),
  ]
    .join('\n\n')
    .concat('\n');
}

function exitCodes(): string {
  const names = Object.keys(exit) as (keyof typeof exit)[];
  const rows = names.map((name) => `| ${exit[name]} | ${meanings[name]} |`);
  return ['| code | meaning |', '| --- | --- |', ...rows].join('\n');
}

/** What a command alone has, and links to the groups that it shares with others. */
function pageOf(command: Command, groups: readonly { heading: string; command: Command }[]): string[] {
  const shared = groups.filter((group) => group.command.options.every((option) => has(command, option)));
  for (const option of command.options)
    if (shared.some((group) => has(group.command, option))) option.hideHelp();
  const links = shared.map(({ heading }) => `[${heading}](#${heading.toLowerCase().replaceAll(' ', '-')})`);
  const common = links.length > 0 ? [`Common options: ${links.join(', ')}.`] : [];
  return [block(command.helpOption(false)), ...common];
}

function has(command: Command, option: Option): boolean {
  return command.options.some((each) => isSame(each, option));
}

function isSame(one: Option, other: Option): boolean {
  return one.flags === other.flags && one.description === other.description;
}

function pages(command: Command, path = 'detent'): [string, Command][] {
  return command.commands.flatMap((child): [string, Command][] => {
    const name = `${path} ${child.name()}`;
    return child.commands.length > 0 ? pages(child, name) : [[name, child]];
  });
}

/** What `--help` prints, examples included, as wide as a page; without what `left` matches. */
function block(command: Command, left = /^$/): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
    getOutHelpWidth: () => 100,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return `\`\`\`text\n${text.replace(left, '').trim()}\n\`\`\``;
}

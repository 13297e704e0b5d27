/**
 * Writes docs/cli.md from the commands themselves.
 *
 *     node scripts/write-cli-reference.ts           # brings it up to date
 *     node scripts/write-cli-reference.ts --check   # exit code 1 when it is out of date
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { createProgram } from '../src/cli/program.ts';

const file = new URL('../docs/cli.md', import.meta.url);

if (import.meta.main) {
  const reference = cliReference();
  const isCheck = process.argv.includes('--check');
  const before = readFileSync(file, { encoding: 'utf8', flag: 'a+' });
  if (before !== reference) {
    if (isCheck) {
      console.error('docs/cli.md is out of date; run: node scripts/write-cli-reference.ts');
      process.exitCode = 1;
    } else writeFileSync(file, reference);
  }
}

/** The help of every command, as Markdown. */
export function cliReference(): string {
  const program = createProgram();
  return [
    '# The command line',
    '<!-- Written by scripts/write-cli-reference.ts from the commands themselves. -->',
    block(program),
    ...pages(program).flatMap(([name, command]) => [`## ${name}`, block(command)]),
  ]
    .join('\n\n')
    .concat('\n');
}

function pages(command: Command, path = 'detent'): [string, Command][] {
  return command.commands.flatMap((child): [string, Command][] => {
    const name = `${path} ${child.name()}`;
    return child.commands.length > 0 ? pages(child, name) : [[name, child]];
  });
}

/** What `--help` prints, examples included, as wide as a page. */
function block(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
    getOutHelpWidth: () => 100,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return `\`\`\`text\n${text.trim()}\n\`\`\``;
}

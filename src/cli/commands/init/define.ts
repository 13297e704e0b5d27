import type { DetentCommand } from '../command.ts';

export function defineInit(program: DetentCommand): void {
  program
    .command('init')
    .summary('a configuration, a tool, a workflow and a test to begin with')
    .description(
      'Writes a commented configuration, an example tool, a workflow that asks a person, and a test of the agent. Changes no existing files, except that it adds to .gitignore, and adds what a module and `npm test` need to package.json.',
    )
    .argument('[DIR]', 'where (default: here)')
    .option('--ts', 'detent.config.ts, the default; only it can hold tools')
    .option('--yaml', 'detent.config.yaml instead')
    .option('--json', 'detent.config.json instead, which takes no comments')
    .option('--force', 'replace existing files')
    .examples('detent init', 'detent init my-agent && cd my-agent && detent run "What is 17 * 23?"')
    .performedBy(async () => (await import('./init-command.ts')).initCommand);
}

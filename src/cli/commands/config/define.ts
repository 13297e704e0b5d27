import type { DetentCommand } from '../command.ts';

export function defineConfig(program: DetentCommand): void {
  const config = program.command('config').summary('the configuration of this workspace');

  config
    .command('show')
    .summary('every field, its value, and its source')
    .description(
      'Every field with its value for a run with these flags, and its source: a flag, a variable, the file, or the default. Does not show secrets.',
    )
    .runOptions()
    .jsonOption()
    .placeOptions()
    .examples(
      'detent config show',
      'detent config show --agent reviewer --max-steps 5',
      'detent config show --json | jq .values.model',
    )
    .performedBy(async () => (await import('./config-command.ts')).showConfig);

  config
    .command('path')
    .summary('where the configuration file is')
    .description('Prints the path of the configuration file.')
    .placeOptions()
    .examples('detent config path')
    .performedBy(async () => (await import('./config-command.ts')).showConfigPath);

  config
    .command('schema')
    .summary('the JSON Schema of a configuration file')
    .description('Prints the JSON Schema of a configuration file, for completion and checks in editors.')
    .examples('detent config schema > detent.schema.json')
    .performedBy(async () => (await import('./config-command.ts')).showConfigSchema);
}

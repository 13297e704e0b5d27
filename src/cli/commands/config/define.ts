import type { Command } from 'commander';
import type { PerformedBy } from '../command.ts';
import { examples, jsonOption, placeOptions, runOptions } from '../options.ts';

export function defineConfig(program: Command, performedBy: PerformedBy): void {
  const config = program.command('config').summary('the configuration of this workspace');
  const show = config
    .command('show')
    .summary('every field, its value, and its source')
    .description(
      'Every field with its value for a run with these flags, and its source: a flag, a variable, the file, or the default. Does not show secrets.',
    );
  placeOptions(jsonOption(runOptions(show)));
  examples(
    show,
    'detent config show',
    'detent config show --agent reviewer --max-steps 5',
    'detent config show --json | jq .values.model',
  );
  performedBy(show, async () => (await import('./config-command.ts')).showConfig);
  const path = config
    .command('path')
    .summary('where the configuration file is')
    .description('Prints the path of the configuration file.');
  placeOptions(path);
  examples(path, 'detent config path');
  performedBy(path, async () => (await import('./config-command.ts')).showConfigPath);
  const schema = config
    .command('schema')
    .summary('the JSON Schema of a configuration file')
    .description('Prints the JSON Schema of a configuration file, for completion and checks in editors.');
  examples(schema, 'detent config schema > detent.schema.json');
  performedBy(schema, async () => (await import('./config-command.ts')).showConfigSchema);
}

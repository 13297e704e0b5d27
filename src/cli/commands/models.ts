import type { Command } from 'commander';
import { performedBy } from './command.ts';
import { examples, jsonOption, placeOptions } from './options.ts';

export function defineModels(program: Command): void {
  const models = program.command('models').summary('providers and their models');
  const list = models
    .command('list')
    .summary('providers, keys, models, and which is the default')
    .description(
      'The providers that are known or configured, the variables of their keys and whether they are set, the models of the configuration, and which model is the default and why.',
    )
    .option('--agent <NAME>', 'the default of this agent; without it of "default"');
  placeOptions(jsonOption(list));
  examples(list, 'detent models list', 'detent models list --json | jq -r .default.model');
  performedBy(list, async () => (await import('../models-command.ts')).listModels);
}

import { Option } from 'commander';
import { modelApis } from '../../../protocol/enums.ts';
import type { DetentCommand } from '../command.ts';

export function defineModels(program: DetentCommand): void {
  const models = program.command('models').summary('providers and their models');

  models
    .command('list')
    .summary('providers, keys, models, and which is the default')
    .description(
      'Known and configured providers, the variables of their keys and whether they are set, the models of the configuration, and which model is the default and why.',
    )
    .option('--agent <NAME>', 'the default of this agent (default: "default")')
    .jsonOption()
    .placeOptions()
    .examples('detent models list', 'detent models list --json | jq -r .default.model')
    .performedBy(async () => (await import('./list.ts')).listModels);

  models
    .command('test [NAME...]')
    .summary('call models, to see whether they answer and use tools')
    .description(
      'Calls each model: once for a word, streamed, and then for a tool call whose result it sends back. This costs a few hundred tokens per model. Without a name it tests the default model. Exit code 0 if all pass, else 1.',
    )
    .option(
      '--all',
      'every model of the configuration, and the default one of every provider whose key is set',
    )
    .option('--timeout <TIME>', 'for each answer: 90s, 5m (default: 60s)')
    .optionsGroup('Model:')
    .option('--base-url <URL>', 'any server that speaks the protocol; PROVIDER may then be any word')
    .addOption(new Option('--api <PROTOCOL>', 'chat (default), responses or messages').choices(modelApis))
    .option('--api-key-env <NAME>', 'the variable that holds the key')
    .jsonOption()
    .placeOptions()
    .examples(
      'detent models test',
      'detent models test kimi/kimi-k2.6 ollama/qwen3 --timeout 30s',
      'detent models test any/large --base-url http://127.0.0.1:8080/v1',
      'detent models test --all --json | jq ".models[] | select(.ok | not)"',
    )
    .performedBy(async () => (await import('./test-command.ts')).testModels);
}

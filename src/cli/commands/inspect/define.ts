import type { Command } from 'commander';
import type { PerformedBy } from '../command.ts';
import { examples, jsonOption, placeOptions } from '../options.ts';

export function defineInspect(program: Command, performedBy: PerformedBy): void {
  const command = program
    .command('inspect')
    .summary('open a run in the web page')
    .description(
      'Prints a link that opens the web page at a run, logged in: once, within five minutes, and for 12 hours with all scopes of tenant 1. On a terminal, a browser opens it. A running "detent serve" of the same workspace answers; if there is none, this command serves the page itself until Ctrl-C, and resumes no runs. Without RUN, the page lists all runs.',
    )
    .argument('[RUN]', 'id of a run, or a prefix of it')
    .option('--url <URL>', 'the address of a gateway of this workspace, as the browser reaches it')
    .option('--open', 'open it in a browser, even without a terminal')
    .option('--print', 'only print it, even on a terminal');
  command
    .optionsGroup('Stately:')
    .option(
      '--stately',
      'show it in the inspector at stately.ai instead: says what leaves this machine, and asks first',
    )
    .option('--yes', 'agree to this without a question');
  placeOptions(jsonOption(command));
  examples(
    command,
    'detent inspect run_3f8k2m9q4r7t1v5x',
    'detent inspect --print',
    'detent inspect run_3f8k --stately',
    'detent inspect run_3f8k --url https://agent.example',
  );
  performedBy(command, async () => (await import('./inspect-command.ts')).inspectCommand);
}

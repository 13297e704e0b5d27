import type { DetentCommand } from '../command.ts';

export function defineInspect(program: DetentCommand): void {
  program
    .command('inspect')
    .summary('open a run in the web page')
    .description(
      'Prints a link that opens the web page at a run, logged in: once, within five minutes, and for 12 hours with all scopes of tenant 1. On a terminal, a browser opens it. A running "detent serve" of the same workspace answers; if there is none, this command serves the page itself until Ctrl-C, and resumes no runs. Without RUN, the page lists all runs.',
    )
    .argument('[RUN]', 'id of a run, or a prefix of it')
    .option('--url <URL>', 'the address of a gateway of this workspace, as the browser reaches it')
    .option('--open', 'open it in a browser, even without a terminal')
    .option('--print', 'only print it, even on a terminal')
    .optionsGroup('Stately:')
    .option(
      '--stately',
      'show it in the inspector at stately.ai instead: says what leaves this machine, and asks first',
    )
    .option('--yes', 'agree to this without a question')
    .jsonOption()
    .placeOptions()
    .examples(
      'detent inspect run_3f8k2m9q4r7t1v5x',
      'detent inspect --print',
      'detent inspect run_3f8k --stately',
      'detent inspect run_3f8k --url https://agent.example',
    )
    .performedBy(async () => (await import('./inspect-command.ts')).inspectCommand);
}

import { type DetentCommand, runArgument } from '../command.ts';

const workflowArgument = ['<WORKFLOW>', 'id of a chart, as "detent workflow list" prints it'] as const;
const detachOption = ['--detach', 'leave the rest to "detent serve" or "detent runs resume"'] as const;
const keyOption = ['--key <WORD>', 'a second command with the same key does nothing'] as const;

const modelOption = [
  '--model <PROVIDER/MODEL>',
  'the model of services and agents that name none (default: DETENT_MODEL)',
] as const;

/** Of commands that move a run, and show what follows. */
function movingOptions(command: DetentCommand): DetentCommand {
  return command
    .option(...modelOption)
    .option(...detachOption)
    .outputOptions()
    .servedPlaceOptions();
}

export function defineWorkflow(program: DetentCommand): void {
  const workflow = program.command('workflow').summary('your own statecharts, in machines/*.machine.ts');

  workflow
    .command('list')
    .summary('the workflows of this workspace')
    .description(
      'The workflows that the modules of machines/ export, with their version and file. Files that cannot be used follow on stderr, with the reason.',
    )
    .jsonOption()
    .servedPlaceOptions()
    .examples('detent workflow list', `detent workflow list --json | jq -r '.workflows[].id'`)
    .performedBy(async () => (await import('./show.ts')).listWorkflows);

  workflow
    .command('show')
    .summary('one workflow: its states, services and events')
    .description('A workflow: its states, what performs its invocations, and the events that it takes.')
    .argument(...workflowArgument)
    .jsonOption()
    .servedPlaceOptions()
    .examples('detent workflow show refund', 'detent workflow show refund --json | jq .events')
    .performedBy(async () => (await import('./show.ts')).showWorkflow);

  workflow
    .command('check')
    .summary('check whether charts can run durably')
    .description(
      'Reads each chart of machines/ and tries its transitions without performing anything: prints what is wrong, in which state, and what to do. Exit code 1 if a file cannot be used; 0 if there are only warnings.',
    )
    .argument('[WORKFLOW]', 'only this one: the id of its chart, or its file')
    .jsonOption()
    .placeOptions()
    .examples(
      'detent workflow check',
      'detent workflow check machines/refund.machine.ts',
      `detent workflow check --json | jq -r '.[].findings[].code'`,
    )
    .performedBy(async () => (await import('./check.ts')).checkWorkflows);

  workflow
    .command('start')
    .summary('start a run of a workflow')
    .description(
      'Starts a run and shows each state that it enters, until it ends or waits. Its output goes to stdout as JSON, progress to stderr. On a terminal, the command asks the questions of the chart. Ctrl-C leaves the run unfinished; "detent runs resume" continues it.',
    )
    .argument(...workflowArgument)
    .option('--input <JSON|@FILE>', 'its input; "-" reads it from stdin')
    .option('--key <WORD>', 'a second start with the same key and input gets the run of the first')
    .with(movingOptions)
    .examples(
      `detent workflow start refund --input '{"order":"o1","complaint":"broken"}'`,
      'detent workflow start refund --input @order.json --key o1',
      'detent workflow start digest --json | jq .output',
    )
    .performedBy(async () => (await import('./start.ts')).startWorkflow);

  workflow
    .command('send')
    .summary('send a run an event of its chart')
    .description(
      'Sends a run an event of its chart, and shows what follows. Exit code 1 if the chart does not accept the event in its current state.',
    )
    .argument(...runArgument)
    .argument('<EVENT>', 'type of the event')
    .option('--data <JSON|@FILE>', 'its other fields, as an object; "-" reads them from stdin')
    .option(...keyOption)
    .with(movingOptions)
    .examples(
      'detent workflow send run_x1 order.recalled',
      `detent workflow send run_x1 paid --data '{"amount":12}' --detach`,
    )
    .performedBy(async () => (await import('./start.ts')).sendToWorkflow);

  workflow
    .command('answer')
    .summary('answer what a chart asks a person')
    .description(
      'Answers the question of an invocation, and shows what follows. The first answer counts: a different later one changes nothing and exits with 1.',
    )
    .argument(...runArgument)
    .argument('<INVOCATION>', 'its id in the chart, as "detent runs show" prints it')
    .option('--approve', 'yes')
    .option('--reject', 'reject, or decline a question that is not a yes-or-no question')
    .option('--reason <TEXT>', 'why it is rejected; with --reject')
    .option(
      '--answer <TEXT>',
      'the answer to a question; may be given several times where several options can be chosen',
      (text: string, texts: readonly string[] = []) => [...texts, text],
    )
    .option('--form <JSON|@FILE>', 'the filled-in form, as an object; "-" reads it from stdin')
    .option(...keyOption)
    .with(movingOptions)
    .examples(
      'detent workflow answer run_x1 approve --approve',
      'detent workflow answer run_x1 approve --reject --reason "too late"',
      'detent workflow answer run_x1 colour --answer blue',
      `detent workflow answer run_x1 address --form '{"street":"Main St 1"}'`,
    )
    .performedBy(async () => (await import('./start.ts')).answerWorkflow);
}

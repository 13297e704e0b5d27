import type { Command } from 'commander';
import type { PerformedBy } from '../command.ts';
import {
  addressOptions,
  approveOption,
  examples,
  jsonOption,
  placeOptions,
  servedPlaceOptions,
} from '../options.ts';

const runArgument = ['<RUN>', 'id of a run, or its beginning; "last" for the newest run'] as const;

/** The commands that read the log of a run, and `cancel`. */
export function defineRunHistory(runs: Command, performedBy: PerformedBy): void {
  defineEvents(runs, performedBy);
  defineWhy(runs, performedBy);
  defineReplay(runs, performedBy);
  defineFork(runs, performedBy);
  defineDiff(runs, performedBy);
  defineCancel(runs, performedBy);
}

function defineEvents(runs: Command, performedBy: PerformedBy): void {
  const command = runs
    .command('events')
    .summary('the log of a run, one transition a line')
    .description('The log of a run: every transition with its seq, its state, and the messages it added.')
    .argument(...runArgument)
    .optionsGroup('Output:')
    .option('--jsonl', 'one object a line, with the messages and the hash of the context');
  servedPlaceOptions(command.option('--json', 'one array'));
  examples(
    command,
    'detent runs events run_x1',
    `detent runs events run_x1 --jsonl | jq -c '[.seq, .type, .path]'`,
  );
  performedBy(command, async () => (await import('./events.ts')).listEvents);
}

function defineWhy(runs: Command, performedBy: PerformedBy): void {
  const command = runs
    .command('why')
    .summary('why a run ended or waits, and the next command')
    .description(
      'Explains why a run ended, waits, was interrupted or is queued: the cause, the transitions that led to it, and the next command.',
    )
    .argument(...runArgument);
  servedPlaceOptions(jsonOption(command));
  examples(command, 'detent runs why run_x1', 'detent runs why run_x1 --json | jq -r .cause');
  performedBy(command, async () => (await import('./why.ts')).whyRun);
}

function defineReplay(runs: Command, performedBy: PerformedBy): void {
  const command = runs
    .command('replay')
    .summary('fold the log again, and compare with what is stored')
    .description(
      'Folds the log of a run through the statechart and compares state, context, messages and the run itself with what is stored. Nothing is executed. Exit code 1 when something differs.',
    )
    .argument('[RUN]', runArgument[1])
    .option('--all', 'every run of the workspace');
  placeOptions(jsonOption(command));
  examples(command, 'detent runs replay run_x1', 'detent runs replay --all');
  performedBy(command, async () => (await import('./replay.ts')).replayRuns);
}

function defineFork(runs: Command, performedBy: PerformedBy): void {
  const command = runs
    .command('fork')
    .summary('a copy of a run as it was after one of its transitions')
    .description(
      'Makes a new run, in a new session, in the state that this one had after the transition SEQ. The original stays as it is. The fork repeats no effect that had ended by then, and starts nothing before "detent runs resume". What people approved was for the original: a call that acts asks again.',
    )
    .argument(...runArgument)
    .requiredOption(
      '--at <SEQ>',
      'the last transition to keep, as "detent runs events" prints it; 0 keeps the prompt alone',
    )
    .option('--model <PROVIDER/MODEL>', 'another model from there on')
    .option('--edit-message <TEXT>', "replaces the user's newest message up to there")
    .addOption(approveOption('ask a person'));
  servedPlaceOptions(jsonOption(addressOptions(command)));
  examples(
    command,
    'detent runs fork run_x1 --at 7',
    'detent runs fork run_x1 --at 7 --model openai/gpt-5-mini',
    'detent runs fork run_x1 --at 0 --edit-message "Only the Markdown files, please."',
  );
  performedBy(command, async () => (await import('./fork.ts')).forkRun);
}

function defineDiff(runs: Command, performedBy: PerformedBy): void {
  const command = runs
    .command('diff')
    .summary('where two runs diverge, and how each ended')
    .description('Says where two runs diverge (for example a run and its fork), and how each ended.')
    .argument('<A>', runArgument[1])
    .argument('<B>', runArgument[1]);
  servedPlaceOptions(jsonOption(command));
  examples(command, 'detent runs diff run_x1 run_x2');
  performedBy(command, async () => (await import('./diff.ts')).diffTwoRuns);
}

function defineCancel(runs: Command, performedBy: PerformedBy): void {
  const command = runs
    .command('cancel')
    .summary('cancel a run')
    .description('Cancels a run in any state. A run that has already ended stays as it is.')
    .argument(...runArgument)
    .option('--reason <TEXT>', 'why, for the log');
  servedPlaceOptions(jsonOption(command));
  examples(command, 'detent runs cancel run_x1 --reason "not needed any more"');
  performedBy(command, async () => (await import('./cancel.ts')).cancelRun);
}

import type { Command } from 'commander';
import type { PerformedBy } from '../command.ts';
import {
  addressOptions,
  examples,
  jsonOption,
  listOptions,
  outputOptions,
  servedPlaceOptions,
} from '../options.ts';
import { defineRunHistory } from './define-history.ts';

const runArgument = ['<RUN>', 'id of a run, or its beginning; "last" for the newest run'] as const;
const callArgument = ['<CALL>', 'id of a call, as "detent runs show" prints it (c2)'] as const;

const resumeOption = ['--resume', 'then resume the run, as "detent runs resume" does'] as const;

export function defineRuns(program: Command, performedBy: PerformedBy): void {
  const runs = program.command('runs').summary('list, explain, decide on, resume and cancel runs');
  defineList(runs, performedBy);
  defineShow(runs, performedBy);
  defineConfirm(runs, performedBy);
  defineReconcile(runs, performedBy);
  defineResume(runs, performedBy);
  defineFollow(runs, performedBy);
  defineRunHistory(runs, performedBy);
}

function defineFollow(runs: Command, performedBy: PerformedBy): void {
  const command = runs
    .command('follow')
    .summary('watch a run that another process drives')
    .description(
      'Shows what a run does in another process, until it ends: its progress, and its answer as it comes. Ctrl-C leaves it alone.',
    )
    .argument(...runArgument);
  servedPlaceOptions(outputOptions(command));
  examples(command, 'detent runs follow run_x1', 'detent runs follow last --jsonl --deltas');
  performedBy(command, async () => (await import('./follow.ts')).followRun);
}

function defineList(runs: Command, performedBy: PerformedBy): void {
  const command = runs
    .command('list')
    .summary('the runs of this workspace')
    .description(
      'The runs of this workspace, newest first: status, last transition, agent, model, cost, session, and the first words of the prompt. On a terminal the list fits the width; to a pipe it is whole.',
    )
    .option('--session <K>', 'only those of the conversation K');
  servedPlaceOptions(jsonOption(listOptions(command)));
  examples(
    command,
    'detent runs list --status waiting,interrupted --since 2d',
    'detent runs list --limit 5',
    `detent runs list --session holiday --json | jq -r '.[].runId'`,
  );
  performedBy(command, async () => (await import('./list.ts')).listRuns);
}

function defineShow(runs: Command, performedBy: PerformedBy): void {
  const command = runs
    .command('show')
    .summary('what happened in a run, and what it waits for')
    .description('What happened in a run, step by step, and what it waits for.')
    .argument(...runArgument);
  servedPlaceOptions(jsonOption(command));
  examples(command, 'detent runs show run_x1', 'detent runs show run_x1 --json | jq .usage');
  performedBy(command, async () => (await import('./show.ts')).showRun);
}

function defineConfirm(runs: Command, performedBy: PerformedBy): void {
  const command = runs
    .command('confirm')
    .summary('decide on a call that waits for a person')
    .description(
      'Decides on a call that waits for a person. The first decision counts: a later one that says otherwise changes nothing and exits with 1. The command only records it; --resume, or "detent runs resume", then resumes the run.',
    )
    .argument(...runArgument)
    .argument(...callArgument)
    .option('--approve', 'let it run as it is')
    .option('--for-session', 'with --approve: calls like it run for the rest of the session without asking')
    .option('--pattern <JSON>', 'with --for-session: which calls (see docs/policy.md)')
    .option('--reject', 'do not let it run')
    .option('--reason <TEXT>', 'why it is rejected, for the model')
    .option('--modify <JSON>', 'let it run with these arguments')
    .option(
      '--answer <TEXT>',
      'answer a question; may be given several times where several options can be chosen',
      (text: string, texts: readonly string[] = []) => [...texts, text],
    )
    .option('--result <TEXT>', 'the result of a call that the client of the run performs, in its place')
    .option('--hash <H>', 'only if the arguments are still those that "show" printed')
    .option(...resumeOption);
  servedPlaceOptions(jsonOption(addressOptions(command)));
  examples(
    command,
    'detent runs confirm run_x1 c2 --approve',
    'detent runs confirm run_x1 c2 --approve --resume',
    'detent runs confirm run_x1 c2 --approve --for-session',
    'detent runs confirm run_x1 c2 --reject --reason "wrong folder"',
    'detent runs confirm run_x1 c2 --answer "the blue one"',
    'detent runs confirm run_x1 c2 --result "21 degrees"',
    `detent runs confirm run_x1 c2 --modify '{"path":"b.txt"}'`,
  );
  performedBy(command, async () => (await import('./decide.ts')).confirmCall);
}

function defineReconcile(runs: Command, performedBy: PerformedBy): void {
  const command = runs
    .command('reconcile')
    .summary('say whether an interrupted call ran')
    .description(
      'Says whether a call ran whose process died during it, or which the original of a fork may have made. The first verdict counts: a later one that says otherwise changes nothing and exits with 1. The command only records it; --resume, or "detent runs resume", then resumes the run.',
    )
    .argument(...runArgument)
    .argument(...callArgument)
    .option('--ran', 'it ran to its end')
    .option('--result <TEXT>', 'its result, for the model; with --ran')
    .option('--retry', 'do it again')
    .option('--skip', 'do not run it')
    .option(...resumeOption);
  servedPlaceOptions(jsonOption(addressOptions(command)));
  examples(
    command,
    'detent runs reconcile run_x1 c2 --ran --result "ticket 4711 was made"',
    'detent runs reconcile run_x1 c2 --retry',
  );
  performedBy(command, async () => (await import('./decide.ts')).reconcileCall);
}

function defineResume(runs: Command, performedBy: PerformedBy): void {
  const command = runs
    .command('resume')
    .summary('resume a run that was interrupted or decided on')
    .description('Resumes a run that was interrupted, or whose calls a person has decided on.')
    .argument('[RUN]', runArgument[1])
    .option('--all', 'every unfinished run')
    .option('--here', 'take all unfinished runs over here, after the database was moved or copied');
  servedPlaceOptions(outputOptions(addressOptions(command)));
  examples(
    command,
    'detent runs resume run_x1',
    'detent runs resume --all',
    'detent runs resume --all --here',
  );
  performedBy(command, async () => (await import('./resume.ts')).resumeRuns);
}

import { approveOption, type DetentCommand, runArgument } from '../command.ts';

const callArgument = ['<CALL>', 'id of a call, as "detent runs show" prints it (c2)'] as const;

const stepArgument = [callArgument[0], `${callArgument[1]}, or the name of a step of a workflow`] as const;

const resumeOption = ['--resume', 'then resume the run, as "detent runs resume" does'] as const;

function runPlaceOptions(command: DetentCommand): DetentCommand {
  return command.placeOptions().tenantOption().serverOptions();
}

export function defineRuns(program: DetentCommand): void {
  const runs = program.command('runs').summary('list, explain, decide on, resume and cancel runs');

  runs
    .command('list')
    .summary('the runs of this workspace')
    .description(
      'The runs of this workspace, newest first, sub-runs under their parents: status, last transition, agent, model, cost, session, and the first words of the prompt. On a terminal the list fits the width; in a pipe it is complete.',
    )
    .option('--session <K>', 'only those of the conversation K')
    .listOptions()
    .jsonOption()
    .with(runPlaceOptions)
    .examples(
      'detent runs list --status waiting,interrupted --since 2d',
      'detent runs list --limit 5',
      `detent runs list --session holiday --json | jq -r '.[].runId'`,
    )
    .performedBy(async () => (await import('./list.ts')).listRuns);

  runs
    .command('notices')
    .summary('notifications about runs, and whether they arrived')
    .description(
      'The notifications that "notify" sent about waiting and ended runs, newest first: whether each arrived, after how many attempts, and the error of one that did not.',
    )
    .option('--limit <N>', 'at most this many (default: 100)')
    .option('--tenant <NAME>', 'only those of this tenant, by name or id (default: all)')
    .jsonOption()
    .placeOptions()
    .examples('detent runs notices', `detent runs notices --json | jq '.[] | select(.status == "dead")'`)
    .performedBy(async () => (await import('./notices.ts')).listNotices);

  runs
    .command('show')
    .summary('what happened in a run, and what it waits for')
    .description('What happened in a run, step by step, and what it waits for.')
    .argument(...runArgument)
    .option('--script', 'print the model’s answers, as a file for --model script/FILE')
    .option(
      '--prompt [SEQ]',
      'print what was sent to the model: the prompt and the tools of its last call up to the transition SEQ',
    )
    .jsonOption()
    .with(runPlaceOptions)
    .examples(
      'detent runs show run_x1',
      'detent runs show run_x1 --json | jq .usage',
      'detent runs show run_x1 --script > test/answers.json',
      'detent runs show run_x1 --prompt 3',
    )
    .performedBy(async () => (await import('./show.ts')).showRun);

  runs
    .command('confirm')
    .summary('decide on a call that waits for a person')
    .description(
      'Decides on a call that waits for a person. The first decision counts: a different later one changes nothing and exits with 1. The command only records it; --resume, or "detent runs resume", then resumes the run.',
    )
    .argument(...runArgument)
    .argument(...callArgument)
    .option('--approve', 'let the call run unchanged')
    .option('--for-session', 'with --approve: calls like it run for the rest of the session without asking')
    .option('--pattern <JSON>', 'with --for-session: which calls (see docs/policy.md)')
    .option('--reject', 'do not let the call run')
    .option('--reason <TEXT>', 'why it is rejected, for the model')
    .option('--modify <JSON>', 'let it run with these arguments')
    .option(
      '--answer <TEXT>',
      'answer a question; may be given several times where several options can be chosen',
      (text: string, texts: readonly string[] = []) => [...texts, text],
    )
    .option('--result <TEXT>', 'give the result of a call that the client of the run should perform')
    .option('--hash <H>', 'only if the arguments are still those that "show" printed')
    .option(...resumeOption)
    .addressOptions()
    .jsonOption()
    .with(runPlaceOptions)
    .examples(
      'detent runs confirm run_x1 c2 --approve',
      'detent runs confirm run_x1 c2 --approve --resume',
      'detent runs confirm run_x1 c2 --approve --for-session',
      'detent runs confirm run_x1 c2 --reject --reason "wrong folder"',
      'detent runs confirm run_x1 c2 --answer "the blue one"',
      'detent runs confirm run_x1 c2 --result "21 degrees"',
      `detent runs confirm run_x1 c2 --modify '{"path":"b.txt"}'`,
    )
    .performedBy(async () => (await import('./decide.ts')).confirmCall);

  runs
    .command('reconcile')
    .summary('say whether an interrupted call ran')
    .description(
      'Says whether a call ran if its process died during the call, or if the original of a fork may have made it. The first verdict counts: a different later one changes nothing and exits with 1. The command only records it; --resume, or "detent runs resume", then resumes the run.',
    )
    .argument(...runArgument)
    .argument(...stepArgument)
    .option('--ran', 'it ran to its end')
    .option(
      '--result <TEXT>',
      'with --ran: the text that the model reads; of a step, the JSON that it returned (default: null)',
    )
    .option('--retry', 'do it again')
    .option('--skip', 'do not run it')
    .option(...resumeOption)
    .addressOptions()
    .jsonOption()
    .with(runPlaceOptions)
    .examples(
      'detent runs reconcile run_x1 c2 --ran --result "ticket 4711 was made"',
      `detent runs reconcile run_x2 c1 --ran --result '{"payment":"4711"}'`,
      'detent runs reconcile run_x1 c2 --retry',
      'detent runs reconcile run_x2 pay --retry',
    )
    .performedBy(async () => (await import('./decide.ts')).reconcileCall);

  runs
    .command('resume')
    .summary('resume a run that was interrupted or decided on')
    .description(
      'Resumes a run that was interrupted, or whose calls a person has decided on. For a run that has ended, prints its result again.',
    )
    .argument('[RUN]', runArgument[1])
    .option('--all', 'every unfinished run')
    .option('--here', 'take over all unfinished runs here, after the database was moved or copied')
    .addressOptions()
    .outputOptions()
    .with(runPlaceOptions)
    .examples('detent runs resume run_x1', 'detent runs resume --all', 'detent runs resume --all --here')
    .performedBy(async () => (await import('./resume.ts')).resumeRuns);

  runs
    .command('follow')
    .summary('watch a run that another process drives')
    .description(
      'Shows what a run does in another process, until it ends: its progress, and its answer as it streams. Ctrl-C stops watching, not the run.',
    )
    .argument(...runArgument)
    .outputOptions()
    .with(runPlaceOptions)
    .examples('detent runs follow run_x1', 'detent runs follow last --jsonl --deltas')
    .performedBy(async () => (await import('./follow.ts')).followRun);

  runs
    .command('events')
    .summary('the log of a run, one transition per line')
    .description('The log of a run: every transition with its seq, its state, and the messages it added.')
    .argument(...runArgument)
    .optionsGroup('Output:')
    .option('--jsonl', 'one object per line, with the messages and the hash of the context')
    .option('--json', 'one array')
    .with(runPlaceOptions)
    .examples('detent runs events run_x1', `detent runs events run_x1 --jsonl | jq -c '[.seq, .type, .path]'`)
    .performedBy(async () => (await import('./history.ts')).listEvents);

  runs
    .command('why')
    .summary('why a run ended or waits, and the next command')
    .description(
      'Explains why a run ended, waits, was interrupted or is queued: the cause, the transitions that led to it, and the next command.',
    )
    .argument(...runArgument)
    .jsonOption()
    .with(runPlaceOptions)
    .examples('detent runs why run_x1', 'detent runs why run_x1 --json | jq -r .cause')
    .performedBy(async () => (await import('./history.ts')).whyRun);

  runs
    .command('replay')
    .summary('fold the log again, and compare it with the stored run')
    .description(
      'Folds the log of a run through the statechart and compares state, context, messages and the run itself with the stored ones. Executes nothing. Exit code 1 if something differs.',
    )
    .argument('[RUN]', runArgument[1])
    .option('--all', 'every run of the workspace')
    .jsonOption()
    .placeOptions()
    .tenantOption()
    .examples('detent runs replay run_x1', 'detent runs replay --all')
    .performedBy(async () => (await import('./history.ts')).replayRuns);

  runs
    .command('fork')
    .summary('copy a run as it was after one of its transitions')
    .description(
      'Makes a new run, in a new session, in the state that this one had after the transition SEQ. The original does not change. The fork repeats no effect that had ended by then, and starts nothing before "detent runs resume". Approvals belong to the original: a call that does more than read asks again.',
    )
    .argument(...runArgument)
    .requiredOption(
      '--at <SEQ>',
      'the last transition to keep, as "detent runs events" prints it; 0 keeps only the prompt',
    )
    .option('--model <PROVIDER/MODEL>', 'another model from there on')
    .option('--edit-message <TEXT>', "replaces the user's newest message up to there")
    .addOption(approveOption('ask a person'))
    .addressOptions()
    .jsonOption()
    .with(runPlaceOptions)
    .examples(
      'detent runs fork run_x1 --at 7',
      'detent runs fork run_x1 --at 7 --model openai/gpt-5-mini',
      'detent runs fork run_x1 --at 0 --edit-message "Only the Markdown files, please."',
    )
    .performedBy(async () => (await import('./fork.ts')).forkRun);

  runs
    .command('diff')
    .summary('where two runs diverge, and how each ended')
    .description('Says where two runs diverge (for example a run and its fork), and how each ended.')
    .argument('<A>', runArgument[1])
    .argument('<B>', runArgument[1])
    .option('--exit-code', 'exit with 1 when the runs diverge (default: 0, as "git diff" does)')
    .jsonOption()
    .with(runPlaceOptions)
    .examples('detent runs diff run_x1 run_x2', 'detent runs diff --exit-code run_x1 run_x2')
    .performedBy(async () => (await import('./fork.ts')).diffTwoRuns);

  runs
    .command('cancel')
    .summary('cancel a run')
    .description('Cancels a run in any state. Does not change a run that has already ended.')
    .argument(...runArgument)
    .option('--reason <TEXT>', 'why, for the log')
    .jsonOption()
    .with(runPlaceOptions)
    .examples('detent runs cancel run_x1 --reason "not needed any more"')
    .performedBy(async () => (await import('./follow.ts')).cancelRun);
}

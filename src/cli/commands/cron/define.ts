import { Option } from 'commander';
import { cronDialects } from '../../../../machines/job.types.ts';
import type { DetentCommand } from '../command.ts';
import { jobOptions, ownerOptions } from './options.ts';

const jobArgument = ['<JOB>', 'a job, as "detent cron list" prints it'] as const;

export function defineCron(program: DetentCommand): void {
  const cron = program.command('cron').summary('work at set times');

  cron
    .command('add')
    .argument('[JOB]', 'a name for the job (default: that in --file)')
    .summary('let an agent work at set times')
    .description(
      'Creates a job: a prompt that an agent gets at set times, or a workflow that starts at these times. Each run has its own session unless --session names one for all. Jobs run only while "detent serve" or "detent cron serve" is running.',
    )
    .option('--disabled', 'it has no slots until "detent cron enable"')
    .with(jobOptions)
    .with(jobPlace)
    .examples(
      'detent cron add daily --cron "0 9 * * 1-5" --tz Europe/Berlin --prompt "Sum up yesterday." --deliver console',
      'detent cron add watch --every 15m --prompt "Is the site up?" --deliver https://hooks.example/x --secret-env HOOK_SECRET',
      'detent cron add --file job.json',
    )
    .performedBy(async () => (await import('./add.ts')).addJob);

  cron
    .command('list')
    .summary('jobs: schedule, state, last result')
    .description(
      'The jobs of this workspace, by name: the schedule in words, the next times in its time zone, the state and what to do about it, and the result of the last run.',
    )
    .option('--limit <N>', 'at most this many (default and maximum: 500)')
    .option('--after <JOB>', 'only jobs after this one, for the next page')
    .with(jobPlace)
    .examples('detent cron list', `detent cron list --json | jq -r '.[].jobId'`)
    .performedBy(async () => (await import('./list.ts')).listJobs);

  cron
    .command('show')
    .argument(...jobArgument)
    .summary('everything about a job')
    .description('The state of a job, its next times, and all its settings.')
    .with(jobPlace)
    .examples('detent cron show daily')
    .performedBy(async () => (await import('./show.ts')).showJob);

  cron
    .command('update')
    .argument(...jobArgument)
    .summary('change a job')
    .description(
      'Changes the given fields of a job; the others stay. A current run ends with the old fields. One of --cron, --every and --at replaces the schedule.',
    )
    .option('--disabled', 'it has no slots from now on, until "detent cron enable"')
    .with(jobOptions)
    .with(jobPlace)
    .examples(
      'detent cron update daily --cron "0 8 * * 1-5"',
      'detent cron update daily --deliver file:daily.md',
    )
    .performedBy(async () => (await import('./add.ts')).updateJob);

  cron
    .command('enable')
    .argument(...jobArgument)
    .summary('let a disabled job run again')
    .description('Lets a disabled job run again, from now on.')
    .with(jobPlace)
    .examples('detent cron enable daily')
    .performedBy(async () => (await import('./control.ts')).enableJob);

  cron
    .command('disable')
    .argument(...jobArgument)
    .summary('disable a job')
    .description('From now on the job has no slots, and Detent records none. A current run continues.')
    .option('--reason <TEXT>', 'why; "detent cron list" shows it')
    .with(jobPlace)
    .examples('detent cron disable daily --reason "on holiday"')
    .performedBy(async () => (await import('./control.ts')).disableJob);

  cron
    .command('pause')
    .argument(...jobArgument)
    .summary('pause a job')
    .description('Detent records the slots of the job as "paused", and runs none. A current run continues.')
    .option('--reason <TEXT>', 'why; "detent cron list" shows it')
    .with(jobPlace)
    .examples('detent cron pause daily --reason "the site moves"')
    .performedBy(async () => (await import('./control.ts')).pauseJob);

  cron
    .command('resume')
    .argument(...jobArgument)
    .summary('end the pause of a job')
    .description('Ends the pause of a job, also one after failures.')
    .with(jobPlace)
    .examples('detent cron resume daily')
    .performedBy(async () => (await import('./control.ts')).resumeJob);

  cron
    .command('remove')
    .argument(...jobArgument)
    .summary('remove a job and its history')
    .description(
      'Removes a job with its history, and cancels its run. The conversations of its runs stay. Asks first.',
    )
    .option('--yes', 'do not ask; required without a terminal')
    .with(jobPlace)
    .examples('detent cron remove daily --yes')
    .performedBy(async () => (await import('./control.ts')).removeJob);

  cron
    .command('run')
    .argument(...jobArgument)
    .summary('run a job once, now')
    .description(
      'Runs a job once, now, or after its current run; even a paused job. The process that runs the schedule performs it ("detent serve" or "detent cron serve"); without one, the run waits for the next.',
    )
    .option('--detach', 'do not wait for the end')
    .with(jobPlace)
    .examples('detent cron run daily', 'detent cron run daily --detach')
    .performedBy(async () => (await import('./run.ts')).runJob);

  cron
    .command('history')
    .argument(...jobArgument)
    .summary('the slots of a job, and their results')
    .description(
      'The slots of a job, newest first: the result of each, or why it did not run, its run, and its deliveries.',
    )
    .option('--limit <N>', 'at most this many (default: 20)')
    .option('--below <N>', 'only slots with a number below this, for the next page')
    .with(jobPlace)
    .examples('detent cron history daily', 'detent cron history daily --limit 100 --json')
    .performedBy(async () => (await import('./list.ts')).jobHistory);

  cron
    .command('redeliver')
    .argument(...jobArgument)
    .argument('<N>', 'the number of a slot, as "detent cron history" prints it')
    .summary('retry deliveries that Detent gave up')
    .description(
      'Retries the deliveries of a slot that Detent gave up, each with all its attempts. Those that arrived, or are on their way, stay as they are.',
    )
    .with(jobPlace)
    .examples('detent cron redeliver daily 12')
    .performedBy(async () => (await import('./control.ts')).redeliver);

  cron
    .command('serve')
    .summary('run the schedule, without the gateway')
    .description(
      'Runs the jobs of this workspace at their times, and prints a line for each event. Any number of processes may do so: each slot runs once. SIGTERM and Ctrl-C stop it: no new slot begins, and current runs get 10 s to finish; the next start continues the others. A second signal exits at once.',
    )
    .optionsGroup('Model:')
    .option('--model <PROVIDER/MODEL>', 'the model of agents that name none (default: DETENT_MODEL)')
    .addressOptions()
    .jsonOption()
    .placeOptions()
    .examples('detent cron serve', 'detent cron serve --json')
    .performedBy(async () => (await import('./serve.ts')).serveSchedule);

  cron
    .command('next')
    .argument('<EXPR...>', 'a cron expression, in quotes')
    .summary('the next times of a cron expression')
    .description(
      'The next times of a cron expression, in UTC, one per line; its meaning goes to stderr. Without --dialect an expression with "?", "L", "W", "#" or seven fields is Quartz, any other unix.',
    )
    .addOption(
      new Option('--dialect <NAME>', `whose rules: ${cronDialects.join(', ')}`).choices(cronDialects),
    )
    .option('--tz <ZONE>', 'its time zone, such as Europe/Berlin (default: that of this machine)')
    .option('--from <TIME>', 'times after this day or time (2026-01-31, 2026-01-31T08:00Z; default: now)')
    .option('--count <N>', 'at most this many (default: 5)')
    .jsonOption()
    .examples(
      'detent cron next "0 9 * * 1-5" --tz Europe/Berlin',
      'detent cron next "0 0 9 LW * ?" --from 2026-12-01 --count 3',
      'detent cron next "@weekly" --json',
    )
    .performedBy(async () => (await import('./next.ts')).showNextTimes);
}

function jobPlace(command: DetentCommand): DetentCommand {
  return command.with(ownerOptions).jsonOption().servedPlaceOptions();
}

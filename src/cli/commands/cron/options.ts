import { Option } from 'commander';
import { cronDialects, misfirePolicies, overlapPolicies } from '../../../../machines/job.types.ts';
import { type DetentCommand, repeatable } from '../command.ts';

/** Adds the options that say what a job is. */
export function jobOptions(command: DetentCommand): DetentCommand {
  return command
    .optionsGroup('When:')
    .option('--cron <EXPR>', 'at the times of a cron expression, in quotes')
    .option('--every <TIME>', 'at this interval: 90s, 15m, 24h')
    .option('--at <TIME>', 'once: 2026-12-01T08:00Z')
    .addOption(
      new Option(
        '--dialect <NAME>',
        `whose rules: ${cronDialects.join(', ')} (default: by its fields)`,
      ).choices(cronDialects),
    )
    .option(
      '--tz <ZONE>',
      'the time zone of the expression (default: that of this machine, or of the gateway)',
    )
    .optionsGroup('What:')
    .option('--prompt <TEXT>', 'what to do (default: stdin); {{slot}} is its time, {{last}} the last result')
    .option('--agent <NAME>', 'an agent of the configuration (default: "default")')
    .option('--model <PROVIDER/MODEL>', 'the model of each run (default: that of its agent)')
    .option(
      '--session <K>',
      'one session for all its runs, so that each reads the earlier ones; "own" for separate sessions (default)',
    )
    .option('--skill <NAME>', 'begin with this skill')
    .option('--workflow <ID>', 'start this workflow, instead of a prompt')
    .option('--input <JSON>', 'the input of the workflow; {{slot}} in its texts is the time of the slot')
    .option('--file <FILE>', 'a file with the job object as JSON; the other options override its fields')
    .optionsGroup('Results:')
    .addOption(
      repeatable('--deliver <TARGET>', 'where results go: console, file:PATH, session:NAME, https://…'),
    )
    .option('--secret-env <NAME>', 'the variable with the secret that signs webhooks')
    .option('--attempts <N>', 'attempts at a delivery (default: 8)')
    .optionsGroup('If something goes wrong:')
    .addOption(
      new Option(
        '--misfire <POLICY>',
        'missed slots, when no process ran the schedule: skip them, run once for all (default), or run all',
      ).choices(misfirePolicies),
    )
    .option('--grace <TIME>', 'a slot that begins within this time is not late (default: 1m)')
    .option('--window <TIME>', 'missed slots older than this never run; "any" for no limit (default: 24h)')
    .addOption(
      new Option(
        '--overlap <POLICY>',
        'slots while an earlier run is in progress: skip (default), queue, cancel-previous',
      ).choices(overlapPolicies),
    )
    .option('--jitter <TIME>', 'delay each slot by up to this time')
    .option('--pause-after <N>', 'pause after so many failures in a row, or "never" (default: 10)')
    .option('--alert-after <N>', 'alert after so many failures in a row, or "never" (default: 2)')
    .addOption(repeatable('--alert <TARGET>', 'where alerts go; targets as for --deliver'))
    .optionsGroup('Limits:')
    .option('--max-steps <N>', 'answers of the model in each run')
    .option('--max-tokens <N>', 'tokens in and out of each run')
    .option('--max-cost <USD>', 'US dollars of each run; needs the price of the model')
    .option('--timeout <TIME>', 'working time of each run: 90s, 5m, 2h')
    .option('--budget <NAME>', 'the shared budget NAME of the configuration, besides these limits')
    .option('--keep <N>', 'how many of its last slots Detent keeps (default: 100)');
}

/** Adds the options that say whose jobs are meant. */
export function ownerOptions(command: DetentCommand): DetentCommand {
  return command
    .optionsGroup('Owner:')
    .option('--tenant <ID>', 'jobs of this tenant (default: 1)')
    .option('--user <ID>', 'jobs of this user');
}

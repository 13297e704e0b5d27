import type { Command } from 'commander';
import type { PerformedBy } from '../command.ts';
import { examples, jsonOption, placeOptions } from '../options.ts';

const sessionArgument = ['<K>', 'key of a session, as "detent sessions list" prints it'] as const;

export function defineSessions(program: Command, performedBy: PerformedBy): void {
  const sessions = program
    .command('sessions')
    .summary('whole conversations: look, clear, compact, delete, move');
  defineList(sessions, performedBy);
  defineShow(sessions, performedBy);
  defineSearch(sessions, performedBy);
  defineClear(sessions, performedBy);
  defineCompact(sessions, performedBy);
  defineDelete(sessions, performedBy);
  defineFork(sessions, performedBy);
  defineGrants(sessions, performedBy);
  defineExport(sessions, performedBy);
  defineImport(sessions, performedBy);
}

function defineList(sessions: Command, performedBy: PerformedBy): void {
  const command = sessions
    .command('list')
    .summary('the conversations of this workspace')
    .description('The sessions of this workspace, newest first: how each stands, and when it last moved.')
    .option('--limit <N>', 'at most so many (default: 100)');
  placeOptions(jsonOption(command));
  examples(command, 'detent sessions list', `detent sessions list --json | jq -r '.[].sessionId'`);
  performedBy(command, async () => (await import('./list.ts')).listSessions);
}

function defineShow(sessions: Command, performedBy: PerformedBy): void {
  const command = sessions
    .command('show')
    .summary('what was said in one, by which runs, at what cost')
    .description('What was said in a session, the runs that said it, and what they cost together.')
    .argument(...sessionArgument);
  placeOptions(jsonOption(command));
  examples(command, 'detent sessions show holiday');
  performedBy(command, async () => (await import('./show.ts')).showSession);
}

function defineSearch(sessions: Command, performedBy: PerformedBy): void {
  const command = sessions
    .command('search')
    .summary('what was said in them, by its words')
    .description(
      'Searches what was said in the sessions of this workspace. Several queries are several ways to say the same. What was cleared is not found. Says why when it finds nothing, or may miss something.',
    )
    .argument('<QUERY...>', 'one to four ways to say what is looked for')
    .option('--limit <N>', 'at most so many passages (default: 6)')
    .option('--user <ID>', 'only what was said in runs for this user');
  placeOptions(jsonOption(command));
  examples(
    command,
    'detent sessions search "which hotel did you suggest"',
    'detent sessions search hotel 酒店 --json',
  );
  performedBy(command, async () => (await import('./search.ts')).searchSessions);
}

const forceOption = ['--force', 'cancel runs that have not ended, instead of refusing'] as const;

function defineClear(sessions: Command, performedBy: PerformedBy): void {
  const command = sessions
    .command('clear')
    .summary('let the conversation begin anew')
    .description(
      'Lets the conversation begin anew: what was said stays in the log, and no model sees it again.',
    )
    .argument(...sessionArgument)
    .option(...forceOption);
  placeOptions(jsonOption(command));
  examples(command, 'detent sessions clear holiday');
  performedBy(command, async () => (await import('./clear.ts')).clearSession);
}

function defineCompact(sessions: Command, performedBy: PerformedBy): void {
  const command = sessions
    .command('compact')
    .summary('put a summary in the place of its older messages')
    .description(
      'Puts a summary in the place of the older messages of a session, as it happens by itself when a conversation outgrows its window: first what must be kept goes to the memory file of the day. All that was said stays in the log.',
    )
    .argument(...sessionArgument)
    .option('--model <PROVIDER/MODEL>', 'who writes it (default: the model of the last run)');
  placeOptions(jsonOption(command));
  examples(command, 'detent sessions compact holiday');
  performedBy(command, async () => (await import('./compact.ts')).compactSession);
}

function defineDelete(sessions: Command, performedBy: PerformedBy): void {
  const command = sessions
    .command('delete')
    .summary('delete all of a conversation for good')
    .description(
      'Deletes a session for good: its runs, their events, messages, questions and outputs. The whole database is written anew, so that nothing of it is left in the file. Asks before it does.',
    )
    .argument(...sessionArgument)
    .option(...forceOption)
    .option('--yes', 'do not ask; needed where nobody can be asked');
  placeOptions(jsonOption(command));
  examples(command, 'detent sessions delete holiday', 'detent sessions delete holiday --force --yes');
  performedBy(command, async () => (await import('./delete.ts')).deleteSession);
}

function defineFork(sessions: Command, performedBy: PerformedBy): void {
  const command = sessions
    .command('fork')
    .summary('a copy of one as it stood after a transition')
    .description(
      'Makes a new session that stands where this one stood after a transition. The original stays as it is, and nothing of the fork starts before "detent runs resume".',
    )
    .argument(...sessionArgument)
    .requiredOption('--at <RUN:SEQ>', 'the last transition to keep, as "detent runs events" prints it')
    .option('--session <K>', 'key of the new session (default: a new one)');
  placeOptions(jsonOption(command));
  examples(command, 'detent sessions fork chat --at run_x1:7 --session try');
  performedBy(command, async () => (await import('./fork.ts')).forkSession);
}

function defineGrants(sessions: Command, performedBy: PerformedBy): void {
  const command = sessions
    .command('grants')
    .summary('what was allowed for the rest of one')
    .description(
      'The calls that people have allowed for the rest of a session, with an approval "for this session"; or takes one of these grants back.',
    )
    .argument(...sessionArgument)
    .option('--revoke <N>', 'take the grant of this number back');
  placeOptions(jsonOption(command));
  examples(command, 'detent sessions grants holiday', 'detent sessions grants holiday --revoke 2');
  performedBy(command, async () => (await import('./grants.ts')).sessionGrants);
}

function defineExport(sessions: Command, performedBy: PerformedBy): void {
  const command = sessions
    .command('export')
    .summary('the whole log as lines of JSON')
    .description(
      'The whole log of a session as lines of JSON, in the vocabulary of the OpenAgentic SDK for Kotlin; what that has no word for is of a type that begins with "detent.".',
    )
    .argument(...sessionArgument)
    .option('--output <FILE>', 'a file instead of stdout; written whole or not at all');
  placeOptions(command);
  examples(command, 'detent sessions export chat --output events.jsonl');
  performedBy(command, async () => (await import('./export.ts')).exportSession);
}

function defineImport(sessions: Command, performedBy: PerformedBy): void {
  const command = sessions
    .command('import')
    .summary('a session from such lines')
    .description(
      'Makes a finished history out of an exported session, ours or the Kotlin SDK’s; "detent run --session K" carries the conversation on.',
    )
    .argument('<FILE>', 'lines of JSON; "-" for stdin')
    .option('--session <K>', 'key of the new session (default: the one that the file names)');
  placeOptions(jsonOption(command));
  examples(command, 'detent sessions import events.jsonl --session copy');
  performedBy(command, async () => (await import('./import.ts')).importSession);
}

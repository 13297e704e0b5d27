import type { DetentCommand } from '../command.ts';

const sessionArgument = ['<K>', 'key of a session, as "detent sessions list" prints it'] as const;

const forceOption = ['--force', 'cancel runs that have not ended, instead of refusing'] as const;

export function defineSessions(program: DetentCommand): void {
  const sessions = program.command('sessions').summary('conversations: show, clear, compact, delete, move');

  sessions
    .command('list')
    .summary('the conversations of this workspace')
    .description(
      'The sessions of this workspace, newest first: status, last activity, size, agent, model, cost, and the first words. On a terminal the list fits the width; in a pipe it is complete.',
    )
    .option('--slots', 'only those of ended slots of jobs, which the list omits otherwise')
    .listOptions()
    .jsonOption()
    .servedPlaceOptions()
    .examples('detent sessions list --since 7d', `detent sessions list --json | jq -r '.[].sessionId'`)
    .performedBy(async () => (await import('./list.ts')).listSessions);

  sessions
    .command('show')
    .summary('its messages, runs and cost')
    .description('The messages of a session, its runs, and what they cost together.')
    .argument(...sessionArgument)
    .jsonOption()
    .servedPlaceOptions()
    .examples('detent sessions show holiday')
    .performedBy(async () => (await import('./show.ts')).showSession);

  sessions
    .command('search')
    .summary('search the messages of all sessions')
    .description(
      'Searches the messages of all sessions of this workspace. Give several queries to word one question in several ways. Does not find cleared messages. If the command finds nothing, or may miss something, it says why.',
    )
    .argument('<QUERY...>', 'one to four wordings of the question')
    .option('--limit <N>', 'at most this many passages (default: 6)')
    .option('--user <ID>', 'only messages of runs for this user')
    .jsonOption()
    .servedPlaceOptions()
    .examples(
      'detent sessions search "which hotel did you suggest"',
      'detent sessions search hotel 酒店 --json',
    )
    .performedBy(async () => (await import('./show.ts')).searchSessions);

  sessions
    .command('clear')
    .summary('start the conversation again')
    .description(
      'Starts the conversation again: the log keeps the earlier messages, and models no longer see them.',
    )
    .argument(...sessionArgument)
    .option(...forceOption)
    .jsonOption()
    .servedPlaceOptions()
    .examples('detent sessions clear holiday')
    .performedBy(async () => (await import('./change.ts')).clearSession);

  sessions
    .command('compact')
    .summary('replace the older messages with a summary')
    .description(
      'Replaces the older messages of a session with a summary, as a run does automatically when the conversation outgrows the context window. First it saves important facts to the memory file of the day. The log keeps every message.',
    )
    .argument(...sessionArgument)
    .option('--model <PROVIDER/MODEL>', 'the model that writes it (default: that of the last run)')
    .jsonOption()
    .placeOptions()
    .examples('detent sessions compact holiday')
    .performedBy(async () => (await import('./change.ts')).compactSession);

  sessions
    .command('delete')
    .summary('delete a conversation for good')
    .description(
      'Deletes a session permanently: its runs, their events, messages, questions and outputs. Rewrites the whole database, so that no trace is left in the file. Asks first.',
    )
    .argument(...sessionArgument)
    .option(...forceOption)
    .option('--yes', 'do not ask; required without a terminal')
    .jsonOption()
    .servedPlaceOptions()
    .examples('detent sessions delete holiday', 'detent sessions delete holiday --force --yes')
    .performedBy(async () => (await import('./change.ts')).deleteSession);

  sessions
    .command('fork')
    .summary('copy a session as it was after a transition')
    .description(
      'Makes a new session in the state that this one had after a transition. The original does not change, and the fork starts nothing before "detent runs resume".',
    )
    .argument(...sessionArgument)
    .requiredOption('--at <RUN:SEQ>', 'the last transition to keep, as "detent runs events" prints it')
    .option('--session <K>', 'key of the new session (default: a new one)')
    .jsonOption()
    .placeOptions()
    .examples('detent sessions fork chat --at run_x1:7 --session try')
    .performedBy(async () => (await import('./copy.ts')).forkSession);

  sessions
    .command('grants')
    .summary('calls allowed for the rest of a session')
    .description(
      'Lists the calls that a person has allowed for the rest of a session by approving one "for this session", or revokes one of these grants.',
    )
    .argument(...sessionArgument)
    .option('--revoke <N>', 'revoke the grant with this number')
    .jsonOption()
    .servedPlaceOptions()
    .examples('detent sessions grants holiday', 'detent sessions grants holiday --revoke 2')
    .performedBy(async () => (await import('./change.ts')).sessionGrants);

  sessions
    .command('takeover')
    .summary('take a conversation over from its agent')
    .description(
      'From now on a person of the staff speaks in the session, and its agent is silent. Cancels running and queued runs there. The user of the session cannot do this.',
    )
    .argument(...sessionArgument)
    .option('--reason <TEXT>', 'why, for the staff')
    .jsonOption()
    .servedPlaceOptions()
    .examples('detent sessions takeover holiday --reason "asks for a refund"')
    .performedBy(async () => (await import('./staff.ts')).takeOverSession);

  sessions
    .command('say')
    .summary('send a message to the user of a conversation that you took over')
    .argument(...sessionArgument)
    .argument('<WORDS...>', 'what the user reads')
    .jsonOption()
    .servedPlaceOptions()
    .examples('detent sessions say holiday "I am Dora. Let me look."')
    .performedBy(async () => (await import('./staff.ts')).sayInSession);

  sessions
    .command('give-back')
    .summary('give a conversation back to its agent')
    .description(
      'The agent continues the conversation. If the user wrote last, the agent answers, and the command waits for the answer.',
    )
    .argument(...sessionArgument)
    .jsonOption()
    .servedPlaceOptions()
    .examples('detent sessions give-back holiday')
    .performedBy(async () => (await import('./staff.ts')).giveSessionBack);

  sessions
    .command('rate')
    .summary('rate an answer')
    .description('Stores the user’s rating of the last answer of a run. A new rating replaces the old one.')
    .argument(...sessionArgument)
    .argument('<RUN>', 'id of the run that gave the answer')
    .option('--up', 'it was good')
    .option('--down', 'it was bad')
    .option('--reason <TEXT>', 'why')
    .jsonOption()
    .servedPlaceOptions()
    .examples('detent sessions rate holiday run_x --down --reason "the wrong hotel"')
    .performedBy(async () => (await import('./staff.ts')).rateAnswer);

  sessions
    .command('export')
    .summary('the whole log as JSON lines')
    .description(
      'The whole log of a session as JSON lines, in the vocabulary of the OpenAgentic SDK for Kotlin, extended by types that begin with "detent.".',
    )
    .argument(...sessionArgument)
    .option('--output <FILE>', 'a file instead of stdout; written whole or not at all')
    .placeOptions()
    .examples('detent sessions export chat --output events.jsonl')
    .performedBy(async () => (await import('./copy.ts')).exportSession);

  sessions
    .command('import')
    .summary('make a session from exported lines')
    .description(
      'Imports an exported session of Detent or of the Kotlin SDK as a finished history; "detent run --session K" continues the conversation.',
    )
    .argument('<FILE>', 'lines of JSON; "-" for stdin')
    .option('--session <K>', 'key of the new session (default: the one that the file names)')
    .jsonOption()
    .placeOptions()
    .examples('detent sessions import events.jsonl --session copy')
    .performedBy(async () => (await import('./copy.ts')).importSession);
}

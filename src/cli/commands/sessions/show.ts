import type { SessionMessage, SessionView } from '../../../index.ts';
import { askedQueries } from '../../../memory/memories.ts';
import { nothingSaid } from '../../../memory/search.ts';
import { mentionParts } from '../../../protocol/content.ts';
import { DetentError } from '../../../protocol/error.ts';
import { isoTime, shortened } from '../../../text/wording.ts';
import { readingPort } from '../../drive/with-detent.ts';
import { type Flags, text, wholeNumber, word } from '../../settings/flags.ts';
import { type CliOptions, hasDatabase, loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import { indented } from '../../terminal/indented.ts';
import type { Io } from '../../terminal/io.ts';

/** `detent sessions show K`. */
export async function showSession(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const { key, options } = await namedSession(words, flags, io);
  const view = await readingPort(options, ({ ask }) => ask('session.get', { sessionId: key }));
  if (flags.json) io.json(view);
  else io.out(`${describeSession(view)}\n`);
  return exit.ok;
}

function describeSession({
  sessionId,
  title,
  status,
  createdAt,
  lastActivityAt,
  usage,
  userId,
  takenOver,
  history,
  conversation,
}: SessionView) {
  return [
    `session  ${sessionId}`,
    ...(title === undefined ? [] : [`title    ${title}`]),
    ...(userId === undefined ? [] : [`user     ${userId}`]),
    `status   ${status ?? 'empty'}`,
    ...(takenOver ? describeTakeover(takenOver) : []),
    `created  ${timeOf(createdAt)}, last activity ${timeOf(lastActivityAt)}`,
    `tokens   ${usage.inputTokens} in, ${usage.outputTokens} out${usage.costUsd === null ? '' : `, $${usage.costUsd.toFixed(4)}`}`,
    ...history.map(({ runId, status: stands, outcome, imported }) => {
      const why = imported ? ' (imported)' : outcome && outcome !== stands ? ` (${outcome})` : '';
      return `run      ${runId}  ${stands}${why}`;
    }),
    ...describeConversation(conversation),
  ].join('\n');
}

function describeTakeover({
  state,
  by,
  since,
  runId,
  reason,
  summary,
}: NonNullable<SessionView['takenOver']>): string[] {
  const who = state === 'waiting' ? 'nobody yet: a person was requested' : (by ?? 'a person of the staff');
  return [
    `staff    ${who}, since ${timeOf(since)} (${runId})`,
    ...(reason === undefined ? [] : [`reason   ${reason}`]),
    ...(summary === undefined ? [] : [`summary  ${summary}`]),
  ];
}

function timeOf(at: number): string {
  return isoTime(at);
}

/** The messages, with a mark below those that the prompt of the next run does not have. */
function describeConversation(conversation: readonly SessionMessage[]): string[] {
  const unseen = conversation.filter(({ inPrompt }) => !inPrompt);
  const seen = conversation.filter(({ inPrompt }) => inPrompt);
  const isSummarised = seen.some(({ role }) => role === 'summary');
  const mark = isSummarised ? 'models see a summary instead of' : 'models no longer see';
  return [
    ...(conversation.length > 0 ? [''] : []),
    ...unseen.flatMap(describeMessage),
    ...(unseen.length > 0 ? ['', `--- ${mark} the messages above ---`, ''] : []),
    ...seen.flatMap(describeMessage),
  ];
}

function describeMessage(message: SessionMessage): string[] {
  const { role, from, by, text, toolCalls = [], callId, name, status, attachments, rating } = message;
  const author = from === undefined ? role : by === undefined ? from : `${from}, ${by}`;
  const who = role === 'tool' ? `${callId} ${name} ${status}` : author;
  const calls = toolCalls.map((call) => `  ${call.callId} ${call.name} ${call.arguments}`);
  return [
    ...(text === '' && calls.length > 0
      ? [`${who}:`]
      : [`${who}: ${role === 'tool' ? shortened(text, maxShown) : text}`]),
    ...mentionParts(attachments).map((line) => `  ${line}`),
    ...calls,
    ...(rating
      ? [
          `  rated ${rating.thumb}${rating.by === undefined ? '' : ` by ${rating.by}`}${rating.reason ? `: ${rating.reason}` : ''}`,
        ]
      : []),
  ];
}

const maxShown = 400;

/** `detent sessions search QUERY…`. */
export async function searchSessions(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  askedQueries(words);
  const limit = wholeNumber(flags, 'limit', 1);
  const userId = text(flags, 'user');
  const options = await loadOptions(flags, io);
  const asked = { query: [...words], ...(limit !== undefined && { limit }) };
  const found = hasDatabase(options)
    ? await readingPort(options, ({ ask }) => ask('session.search', asked), { userId })
    : nothingSaid;
  if (flags.json) {
    io.json(found);
    return exit.ok;
  }
  for (const { sessionId, runId, at, from, snippet } of found.results) {
    const facts = [isoTime(at), runId, ...(from === 'untrusted' ? [from] : [])];
    io.out(`${sessionId}  (${facts.join(', ')})\n${indented(snippet)}\n\n`);
  }
  if (found.reason !== null) io.say(`detent: ${found.reason}`);
  return exit.ok;
}

/**
 * The session key of a command, and the options to open the database with.
 *
 * @throws DetentError `NOT_FOUND` when the workspace has no database, so that looking for a session makes none.
 */
export async function namedSession(
  words: readonly string[],
  flags: Flags,
  io: Io,
): Promise<{ key: string; options: CliOptions }> {
  const key = word(words, 0, 'K');
  const options = await loadOptions(flags, io);
  if (hasDatabase(options)) return { key, options };
  throw new DetentError(
    'NOT_FOUND',
    `no session "${key}": there is no database ${options.database.file} yet`,
  );
}

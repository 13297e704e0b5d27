import { type Detent, DetentError } from '../../index.ts';
import { addressFlags, addressNotNamed } from '../../ports/address.ts';
import type { RunRequest } from '../../runtime/config/request.ts';
import { shellWord } from '../../text/shell-word.ts';
import { type Flags, usage } from '../settings/flags.ts';
import { type CliOptions, hasDatabase } from '../settings/load-options.ts';
import { reading, withDetent } from './with-detent.ts';

/**
 * The request of a run or a chat, with the session that `--continue` means, and with the agent and model that the session
 * used last. Opens the database only if a session is named and there is one.
 *
 * @param command what a hint tells to type: `run` or `chat`
 * @throws DetentError `USAGE`, `NOT_FOUND`, `UNKNOWN_AGENT`; `ADDRESS_NOT_NAMED` with the command that names the address.
 */
export async function continueSession(
  asked: RunRequest,
  flags: Flags,
  options: CliOptions,
  command: 'run' | 'chat',
): Promise<RunRequest> {
  const isNewest = flags.continue === true;
  if (isNewest && asked.session !== undefined) throw usage('--session and --continue exclude each other');
  if (!isNewest && asked.session === undefined) return asked;
  if (!hasDatabase(options)) {
    if (!isNewest) return asked;
    throw new DetentError(
      'NOT_FOUND',
      `there is no session to continue: there is no database ${options.database.file} yet`,
    );
  }
  return looking(options, async ({ sessions }) => {
    const session = asked.session ?? (await sessions.newest());
    return continuedIn(sessions, session, asked, command);
  });
}

/**
 * The request of a run in this session, with the agent and model that the session used last, unless `asked` names them. In a
 * session that belongs to a user the run is for that user: who types here may open the whole database.
 *
 * @throws DetentError `UNKNOWN_AGENT`; `ADDRESS_NOT_NAMED` with the command that names the address.
 */
export async function continuedIn(
  sessions: Detent['sessions'],
  session: string,
  asked: RunRequest,
  command: 'run' | 'chat',
): Promise<RunRequest & { session: string }> {
  try {
    const request = await sessions.continuing(session, asked);
    const userId = await userOf(sessions, session);
    return { ...request, session, ...(userId !== null && { principal: { userId } }) };
  } catch (error) {
    throw DetentError.is(error) && error.code === 'ADDRESS_NOT_NAMED'
      ? withCommand(error, session, asked, command)
      : error;
  }
}

async function userOf(sessions: Detent['sessions'], session: string): Promise<string | null> {
  try {
    return (await sessions.ownerOf(session)).userId;
  } catch (error) {
    // The run makes the session.
    if (DetentError.is(error) && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

/** Reads beside a process that drives the database; one of an older Detent has to be opened for writing. */
async function looking<T>(options: CliOptions, work: (detent: Detent) => Promise<T>): Promise<T> {
  try {
    return await reading(options, work);
  } catch (error) {
    if (!DetentError.is(error) || error.code !== 'DATABASE_OLDER') throw error;
    return withDetent(options, work);
  }
}

function withCommand(
  error: DetentError,
  session: string,
  { agent }: RunRequest,
  command: 'run' | 'chat',
): DetentError {
  const { model, endpoint } = error.details as {
    model: string;
    endpoint: Parameters<typeof addressFlags>[0];
  };
  const words = [
    `detent ${command} --session ${shellWord(session)}`,
    ...(agent === undefined ? [] : [`--agent ${shellWord(agent)}`]),
    `--model ${shellWord(model)}${addressFlags(endpoint)}`,
    ...(command === 'run' ? ['"PROMPT"'] : []),
  ].join(' ');
  return addressNotNamed(model, endpoint ?? null, words);
}

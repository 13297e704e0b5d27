import { DetentError } from '../../index.ts';
import { addressFlags, addressNotNamed } from '../../models/provider-config.ts';
import type { RunRequest } from '../../runtime/config.ts';
import { shellWord } from '../../text/wording.ts';
import type { Port } from '../port/port.ts';
import { type Flags, usage } from '../settings/flags.ts';
import { type CliOptions, hasDatabase } from '../settings/load-options.ts';
import { readingPort, withPort } from './with-detent.ts';

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
  if (isNewest && asked.sessionId !== undefined) throw usage('--session and --continue exclude each other');
  if (!isNewest && asked.sessionId === undefined) return asked;
  if (!hasDatabase(options)) {
    if (!isNewest) return asked;
    throw new DetentError(
      'NOT_FOUND',
      `there is no session to continue: there is no database ${options.database.file} yet`,
    );
  }
  return looking(options, async (port) => {
    const sessionId = asked.sessionId ?? (await newestSession(port));
    return continuedIn(port, sessionId, asked, command);
  });
}

async function newestSession({ ask, show }: Port): Promise<string> {
  const { runId } = await ask('run.find', { word: 'last' });
  return (await show(runId)).sessionId;
}

/**
 * The request of a run in this session, with the agent and model that the session used last, unless `asked` names them.
 *
 * @throws DetentError `UNKNOWN_AGENT`; `ADDRESS_NOT_NAMED` with the command that names the address.
 */
export async function continuedIn(
  { continuing }: Port,
  sessionId: string,
  asked: RunRequest,
  command: 'run' | 'chat',
): Promise<RunRequest & { sessionId: string }> {
  try {
    return { ...(await continuing(sessionId, asked)), sessionId };
  } catch (error) {
    throw DetentError.is(error) && error.code === 'ADDRESS_NOT_NAMED'
      ? withCommand(error, sessionId, asked, command)
      : error;
  }
}

/** Reads beside a process that drives the database; one of an older Detent has to be opened for writing. */
async function looking<T>(options: CliOptions, work: (port: Port) => Promise<T>): Promise<T> {
  try {
    return await readingPort(options, work);
  } catch (error) {
    if (!DetentError.is(error) || error.code !== 'DATABASE_OLDER') throw error;
    return withPort(options, work);
  }
}

function withCommand(
  error: DetentError,
  sessionId: string,
  { agent }: RunRequest,
  command: 'run' | 'chat',
): DetentError {
  const { model, endpoint } = error.details as {
    model: string;
    endpoint: Parameters<typeof addressFlags>[0];
  };
  const words = [
    `detent ${command} --session ${shellWord(sessionId)}`,
    ...(agent === undefined ? [] : [`--agent ${shellWord(agent)}`]),
    `--model ${shellWord(model)}${addressFlags(endpoint)}`,
    ...(command === 'run' ? ['"PROMPT"'] : []),
  ].join(' ');
  return addressNotNamed(model, endpoint ?? null, words);
}

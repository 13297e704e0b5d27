import { sizeText } from '../../../protocol/content.ts';
import { DetentError } from '../../../protocol/error.ts';
import { type NamedBytes, attach as readAttachments, readFiles } from '../../../runtime/requests.ts';
import { randomId } from '../../../text/ids.ts';
import { checkRequestFlags } from '../../drive/check-request.ts';
import { continuedIn } from '../../drive/continue-session.ts';
import { describeWhy } from '../runs/history.ts';
import { agent, clear, compact, memory, skills, tools } from './look-around.ts';
import { describeUsage, sessionUsage } from './session-usage.ts';
import { type CommandName, help } from './slash-command.ts';
import { type ChatState, newestRun } from './state.ts';

/** The commands that need only the state; the others concern the run in progress. */
type StateCommand = Exclude<CommandName, 'cancel' | 'quit' | 'resume'>;

/**
 * Performs a command; returns the text to show.
 *
 * @throws DetentError for a bad argument: `UNKNOWN_MODEL`, `MISSING_KEY`, `INVALID_SESSION`, `UNKNOWN_AGENT`,
 * `ATTACHMENT_…`; `SESSION_BUSY`.
 */
export async function performCommand(
  state: ChatState,
  name: StateCommand,
  argument: string,
): Promise<string> {
  switch (name) {
    case 'help':
      return help();
    case 'model':
      return argument === '' ? showModel(state) : useModel(state, argument);
    case 'session':
      return argument === '' ? showSessions(state) : useSession(state, argument);
    case 'attach':
      return attach(state, argument);
    case 'usage':
      return describeUsage(state.request.sessionId, await sessionUsage(state.port, state.request.sessionId));
    case 'why':
      return explain(state);
    case 'clear':
      return clear(state);
    case 'compact':
      return compact(state);
    case 'tools':
      return tools(state);
    case 'skills':
      return skills(state);
    case 'memory':
      return memory(state, argument);
    case 'agent':
      return agent(state, argument);
  }
}

/** @throws DetentError `ATTACHMENT_NOT_FOUND`, `ATTACHMENT_TOO_LARGE`, `ATTACHMENT_UNSUPPORTED` */
async function attach(state: ChatState, argument: string): Promise<string> {
  if (argument === '-') state.attachments = [];
  else if (argument !== '') {
    const attachments = [...state.attachments, ...(await readFiles([argument], state.io.cwd))];
    // Reports an unusable file now, rather than with the next message.
    await readAttachments('', attachments, { workspace: null, maxPromptBytes: Number.POSITIVE_INFINITY });
    state.attachments = attachments;
  }
  const { attachments } = state;
  if (attachments.length === 0)
    return 'no file is attached to the next message; attach one with: /attach FILE';
  return `attached to the next message: ${attachmentList(attachments)}`;
}

/** `a.png (4 KB), b.txt (12 B)` */
export function attachmentList(attachments: readonly NamedBytes[]): string {
  return attachments.map(({ name, data }) => `${name} (${sizeText(data.length)})`).join(', ');
}

async function explain({ port, request, lastRunId }: ChatState): Promise<string> {
  const runId = lastRunId ?? (await newestRun(port, request.sessionId))?.runId;
  return runId === undefined
    ? 'this session has no runs yet'
    : describeWhy(await port.ask('run.why', { runId }));
}

function showModel({ model }: ChatState): string {
  return `the model is ${model}; use another with: /model PROVIDER/MODEL`;
}

async function useModel(state: ChatState, model: string): Promise<string> {
  const request = { ...state.request, model };
  state.model = checkRequestFlags(state.options, request).model;
  state.request = request;
  const at = request.baseUrl === undefined ? '' : ` at ${request.baseUrl}`;
  return `from the next message on: ${state.model}${at}`;
}

const maxSessions = 5;

async function showSessions({ port, request }: ChatState): Promise<string> {
  const { sessions } = await port.ask('session.list', { limit: maxSessions + 1 });
  const others = sessions.filter(({ sessionId }) => sessionId !== request.sessionId);
  const lines = others
    .slice(0, maxSessions)
    .map(({ sessionId, runs }) => `  ${sessionId}  (${runs === 1 ? '1 run' : `${runs} runs`})`);
  return [
    `the session is ${request.sessionId}; switch with: /session KEY, start a new one with: /session new`,
    ...lines,
  ].join('\n');
}

/** Another session has its own agent and model, where no flag names them; a new one keeps those of the chat. */
async function useSession(state: ChatState, key: string): Promise<string> {
  if (!/^[^\p{Cc}\p{Cs}]{1,200}$/u.test(key))
    throw new DetentError('INVALID_SESSION', 'a session key is 1 to 200 characters');
  const sessionId = key === 'new' ? randomId('chat') : key;
  const { port, options, asked } = state;
  const isNew = (await newestRun(port, sessionId)) === undefined;
  // A new session is of no user, whomever that of before belongs to.
  const { principal: _, ...kept } = state.request;
  const request = isNew ? { ...kept, sessionId } : await continuedIn(port, sessionId, asked, 'chat');
  state.model = checkRequestFlags(options, request).model;
  state.request = request;
  state.lastRunId = null;
  const { agent } = request;
  return `the session is now ${sessionId}, with ${agent === undefined ? '' : `agent ${agent}, `}${state.model}`;
}

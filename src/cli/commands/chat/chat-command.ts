import { createInterface } from 'node:readline';
import { DetentError } from '../../../protocol/error.ts';
import { createRedactor, withDatabaseUrl } from '../../../runtime/config.ts';
import { randomId } from '../../../text/ids.ts';
import { checkRequestFlags, warnOfBadSkills, warnOfUnknownTools } from '../../drive/check-request.ts';
import { continueSession } from '../../drive/continue-session.ts';
import { driveRun } from '../../drive/drive.ts';
import { withPort } from '../../drive/with-detent.ts';
import type { Flags } from '../../settings/flags.ts';
import { type CliOptions, loadOptions } from '../../settings/load-options.ts';
import { runRequest } from '../../settings/run-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { Composer } from './composer.ts';
import type { ChatConsole } from './console.ts';
import { Conversation } from './conversation.ts';
import { ChatHistory } from './history.ts';
import type { RenderMarkdown } from './markdown-answer.ts';
import { performCommand } from './perform-command.ts';
import { unknownCommand } from './slash-command.ts';
import { type ChatState, newestRun, readInputOrSkill } from './state.ts';

/** `detent chat`: a conversation. Ends with exit code 0 at the end of the input. */
export async function chatCommand(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const asked = runRequest(flags, io);
  const options = await loadOptions(flags, io);
  const continued = await continueSession(asked, flags, options, 'chat');
  const request = { ...continued, sessionId: continued.sessionId ?? randomId('chat') };
  const { model } = checkRequestFlags(options, request);
  return withPort(options, async (port) => {
    await warnOfUnknownTools(port, request, io);
    const skills = await warnOfBadSkills(port, request, io);
    const state: ChatState = {
      io,
      port,
      options,
      asked,
      request,
      model,
      attachments: [],
      skills,
      lastRunId: null,
    };
    if (!io.isAttended()) return talkByPipe(state);
    if (flags['no-color']) for (const terminal of [io.stdout, io.stderr]) terminal.refuseColours();
    return talkOnTerminal(state, flags);
  });
}

async function talkOnTerminal(state: ChatState, flags: Flags): Promise<number> {
  const { server, workspace } = state.options;
  const history = new ChatHistory(server ? null : workspace, redactorFor(state.options));
  const conversation = new Conversation(state, history);
  const screen = await openConsole(conversation, history, state, flags);
  const undo = state.io.redirectSay((words) => screen.show(words));
  try {
    return await conversation.talk(screen);
  } finally {
    screen.close();
    undo();
  }
}

async function openConsole(
  conversation: Conversation,
  history: ChatHistory,
  { io, skills }: ChatState,
  flags: Flags,
): Promise<ChatConsole> {
  if (io.env.TERM === 'dumb') {
    const { PlainConsole } = await import('./plain-console.ts');
    return new PlainConsole(conversation, io);
  }
  const { LiveConsole } = await import('./live-console.ts');
  return new LiveConsole(conversation, io, history.entries, skills, await rendererFor(flags, io));
}

/** Loads the parser of Markdown, unless answers are shown as they come. */
async function rendererFor(flags: Flags, { stdout }: Io): Promise<RenderMarkdown | null> {
  if (flags['no-markdown'] || stdout.colorDepth <= 2) return null;
  return (await import('../../terminal/markdown.ts')).markdownText;
}

/** The redactor for the chat history: it removes the same secrets as runs do before they store text. */
function redactorFor({ env, database, secrets = [], models = {} }: CliOptions): (text: string) => string {
  const keys = Object.values(models).flatMap((model) =>
    'apiKeyEnv' in model && typeof model.apiKeyEnv === 'string' ? [model.apiKeyEnv] : [],
  );
  return createRedactor(withDatabaseUrl({ database }, env), [...secrets, ...keys]).redact;
}

const shown = { format: 'text', quiet: true, interactive: false } as const;

/** A chat with a program: each line of stdin is a message, answered before the next is read. Ends with the input. */
async function talkByPipe(state: ChatState): Promise<number> {
  await resumeUnfinished(state);
  const composer = new Composer();
  for await (const line of createInterface({ input: state.io.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    const message = composer.push(line);
    if (message !== null && (await take(state, message)) === 'quit') return exit.ok;
  }
  const begun = composer.drop();
  if (begun !== null) await take(state, begun);
  return exit.ok;
}

/** Resumes and finishes the runs that an earlier chat left. */
async function resumeUnfinished({ io, port, request, model }: ChatState): Promise<void> {
  const since = Date.now();
  for (const runId of await port.resume({ sessionId: request.sessionId }, { ...request, model })) {
    const before = await port.show(runId);
    await driveRun(port, port.attach(runId), { ...shown, since, before }, io);
  }
}

async function take(state: ChatState, message: string): Promise<'quit' | undefined> {
  if (message.trim() === '') return;
  try {
    const input = await readInputOrSkill(state, message);
    if (input.kind === 'unknown') return void state.io.say(unknownCommand(input));
    if (input.kind === 'message') return void (await answer(state, input.text));
    if (input.name === 'quit') return 'quit';
    if (input.name === 'cancel') return void (await cancelWaiting(state));
    if (input.name === 'resume') return void (await resumeUnfinished(state));
    const { sessionId } = state.request;
    state.io.out(state.io.asTyped(`${await performCommand(state, input.name, input.argument)}\n`));
    if (state.request.sessionId !== sessionId) await resumeUnfinished(state);
  } catch (error) {
    // An error in one line must not end the conversation; an error that affects every line must.
    if (!DetentError.is(error) || !harmless.has(error.code)) throw error;
    state.io.complain(error);
  }
}

const harmless = new Set([
  'PROMPT_TOO_LARGE',
  'UNKNOWN_MODEL',
  'MISSING_KEY',
  'INVALID_SESSION',
  'UNKNOWN_AGENT',
  'ADDRESS_NOT_NAMED',
  'SESSION_BUSY',
  'NOT_FOUND',
  'INVALID_ARGUMENTS',
  'SKILL_UNREADABLE',
  'ATTACHMENT_NOT_FOUND',
  'ATTACHMENT_TOO_LARGE',
  'ATTACHMENT_UNSUPPORTED',
]);

/** Sends a line. A run that waits for a decision gets it as a steering message, which withdraws the question. */
async function answer(state: ChatState, line: string): Promise<void> {
  const { io, port, request } = state;
  const mode = (await waiting(state)) ? 'steer' : 'queue';
  const since = Date.now();
  const attachments = state.attachments.splice(0);
  const run = port.run(line, { ...request, mode, attachments });
  const { runId } = await driveRun(port, run, { ...shown, since }, io);
  state.lastRunId = runId;
}

async function cancelWaiting(state: ChatState): Promise<void> {
  const runId = await waiting(state);
  if (!runId) return state.io.say('there is nothing to cancel');
  await state.port.ask('agent.cancel', { runId, reason: 'cancelled from the chat' });
  state.io.say(`run ${runId} was cancelled`);
}

async function waiting({ port, request }: ChatState): Promise<string | undefined> {
  const last = await newestRun(port, request.sessionId);
  return last?.status === 'waiting' ? last.runId : undefined;
}

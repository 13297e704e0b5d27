import { createRedactor, withDatabaseUrl } from '../../../runtime/config.ts';
import { randomId } from '../../../text/ids.ts';
import { checkRequestFlags, warnOfBadSkills, warnOfUnknownTools } from '../../drive/check-request.ts';
import { continueSession } from '../../drive/continue-session.ts';
import { withPort } from '../../drive/with-detent.ts';
import type { Flags } from '../../settings/flags.ts';
import { type CliOptions, loadOptions } from '../../settings/load-options.ts';
import { runRequest } from '../../settings/run-options.ts';
import type { Io } from '../../terminal/io.ts';
import type { ChatConsole } from './console.ts';
import { Conversation } from './conversation.ts';
import { ChatHistory } from './history.ts';
import type { RenderMarkdown } from './markdown-answer.ts';
import { talkByPipe } from './piped.ts';
import type { ChatState } from './state.ts';

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

import type { SessionMessage, SessionView } from '../../../index.ts';
import { mentionParts } from '../../../protocol/parts.ts';
import { isoTime } from '../../../text/iso-time.ts';
import { reading } from '../../drive/with-detent.ts';
import type { Flags } from '../../settings/flags.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { namedSession } from './require-session.ts';

/** `detent sessions show K`. */
export async function showSession(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const { key, options } = await namedSession(words, flags, io);
  const view = await reading(options, (detent) => detent.sessions.show(key));
  if (flags.json) io.json(view);
  else io.out(`${describe(view)}\n`);
  return exit.ok;
}

function describe({
  sessionId,
  status,
  createdAt,
  lastActivityAt,
  usage,
  history,
  conversation,
}: SessionView) {
  return [
    `session  ${sessionId}`,
    `status   ${status ?? 'empty'}`,
    `created  ${timeOf(createdAt)}, last activity ${timeOf(lastActivityAt)}`,
    `tokens   ${usage.inputTokens} in, ${usage.outputTokens} out${usage.costUsd === null ? '' : `, $${usage.costUsd.toFixed(4)}`}`,
    ...history.map(({ runId, status: stands, outcome, imported }) => {
      const why = imported ? ' (imported)' : outcome && outcome !== stands ? ` (${outcome})` : '';
      return `run      ${runId}  ${stands}${why}`;
    }),
    ...conversation.flatMap((message, i) => [
      ...heading(conversation[i - 1], message),
      ...describeMessage(message),
    ]),
  ].join('\n');
}

function timeOf(at: number): string {
  return isoTime(at);
}

/** Marks where the prompt of the next run begins. */
function heading(before: SessionMessage | undefined, { inPrompt }: SessionMessage): string[] {
  if (!before) return inPrompt ? [''] : ['', '--- no model sees these again ---', ''];
  return inPrompt && !before.inPrompt ? ['', '--- the next run sees the messages from here on ---', ''] : [];
}

function describeMessage(message: SessionMessage): string[] {
  const { role, text, toolCalls = [], callId, name, status, attachments } = message;
  const who = role === 'tool' ? `${callId} ${name} ${status}` : role;
  const calls = toolCalls.map((call) => `  ${call.callId} ${call.name} ${call.arguments}`);
  return [
    ...(text === '' && calls.length > 0 ? [`${who}:`] : [`${who}: ${shortened(role, text)}`]),
    ...mentionParts(attachments).map((line) => `  ${line}`),
    ...calls,
  ];
}

const maxShown = 400;

/** Cuts tool results, which are often long. */
function shortened(role: SessionMessage['role'], text: string): string {
  return role === 'tool' && text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

import type { RunRequest, RunSummary } from '../../../index.ts';
import type { NamedBytes } from '../../../runtime/requests.ts';
import type { Port } from '../../port/port.ts';
import type { CliOptions } from '../../settings/load-options.ts';
import type { Io } from '../../terminal/io.ts';
import { type Input, readInput } from './slash-command.ts';

/** The state of a chat. */
export interface ChatState {
  readonly io: Io;
  readonly port: Port;
  readonly options: CliOptions;
  /** What the command line asked for. A session that the chat switches to brings the rest. */
  readonly asked: RunRequest;
  /** The request of the next run. */
  request: RunRequest & { sessionId: string };
  /** The model that the next run uses. */
  model: string;
  /** The attachments of the next message. */
  attachments: NamedBytes[];
  /** Names of the skills that a person can use, read when the chat started. */
  skills: readonly string[];
  /** The last run that this chat started or resumed. */
  lastRunId: string | null;
}

/** The newest run of a session; undefined before the first one. */
export async function newestRun({ ask }: Port, session: string): Promise<RunSummary | undefined> {
  const { runs } = await ask('run.list', { sessionId: session, limit: 1 });
  return runs[0];
}

/** Reads a line like {@link readInput}. An unknown command that names a skill becomes a message to the model. */
export async function readInputOrSkill({ port }: ChatState, text: string): Promise<Input> {
  const input = readInput(text);
  if (input.kind !== 'unknown') return input;
  const [, word] = /^\/(\S+)/.exec(text) ?? [];
  const { skills } = (await port.ask('skill.list', {})).skills;
  const isSkill = skills.some(({ name, off, forPeople }) => name === word && off === null && forPeople);
  return isSkill ? { kind: 'message', text } : input;
}

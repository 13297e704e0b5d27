import type { RunOutcome } from '../../../machines/run.types.ts';
import type { PartView } from '../../protocol/parts.ts';
import type { RunStatus } from '../../protocol/run-view.ts';
import type { Usage } from '../../protocol/usage.ts';
import { callName } from '../../records/call-id.ts';
import type { StoredMessage } from '../../records/messages.ts';
import { outputOf } from '../../records/stored-run.ts';
import type { RunRow } from '../../store/rows.ts';
import { isImported } from '../is-imported.ts';
import { totalUsage } from '../read-run-view.ts';

/** A session in a list. Times are milliseconds since the epoch. */
export interface SessionSummary {
  sessionId: string;
  runs: number;
  /** Status of the first unfinished run, or of the last run; null without runs. */
  status: RunStatus | null;
  /** Of its newest run; null without runs. */
  outcome: RunOutcome | null;
  agent: string | null;
  model: string | null;
  /** The first words of its first message, on one line; empty without one. */
  prompt: string;
  /** What its model calls cost; null when no price of them is known. */
  costUsd: number | null;
  createdAt: number;
  lastActivityAt: number;
  messages: number;
}

export interface SessionRun {
  runId: string;
  status: RunStatus;
  /** Null until the run has ended, and for an imported one. */
  outcome: RunOutcome | null;
  createdAt: number;
  updatedAt: number;
  /** Whether it is a history from a file. */
  imported: boolean;
}

export interface SessionMessage {
  role: 'user' | 'assistant' | 'tool' | 'summary';
  text: string;
  at: number;
  runId: string;
  /** False after a compaction or clear: the message stays in the log but is in no prompt. */
  inPrompt: boolean;
  /** Its images and documents; undefined without any. */
  attachments?: PartView[];
  /** Of an answer: the calls that it asks for. */
  toolCalls?: { callId: string; name: string; arguments: string }[];
  /** Of a result: which call, and how that ended. */
  callId?: string;
  name?: string;
  status?: string;
}

export interface SessionView extends SessionSummary {
  usage: Usage;
  /** First ones first. */
  history: SessionRun[];
  conversation: SessionMessage[];
}

interface Shown {
  summary: SessionSummary;
  /** First ones first. */
  runs: readonly RunRow[];
  messages: readonly StoredMessage[];
  head: { run: number; seq: number };
  statusOf(run: RunRow): RunStatus;
}

export function sessionView({ summary, runs, messages, head, statusOf }: Shown): SessionView {
  const ids = new Map(runs.map(({ pk, id }) => [pk, id]));
  const names = new Map<string, string>();
  for (const { run, role, body } of messages)
    if (role === 'assistant')
      for (const { callId, name } of body.toolCalls) names.set(`${run} ${callId}`, name);
  const shown = messages.filter(isPartOfConversation);
  return {
    ...summary,
    usage: totalUsage(messages),
    history: runs.map((run) => ({
      runId: run.id,
      status: statusOf(run),
      outcome: isImported(run) ? null : outcomeOf(run),
      createdAt: run.createdAt,
      updatedAt: run.updatedAt,
      imported: isImported(run),
    })),
    conversation: shown.map((message) => {
      const { run, seq, at } = message;
      return {
        role: message.role,
        ...said(message, names),
        at,
        runId: ids.get(run) ?? '',
        inPrompt: run > head.run || (run === head.run && seq >= head.seq),
      };
    }),
  };
}

type Withdrawn = Extract<StoredMessage, { role: 'withdrawn' }>;

function isPartOfConversation(message: StoredMessage): message is Exclude<StoredMessage, Withdrawn> {
  const { role, body } = message;
  return role !== 'withdrawn' && (role !== 'summary' || body.text !== '');
}

function outcomeOf(row: RunRow): RunOutcome | null {
  return outputOf(row)?.outcome ?? null;
}

function said({ run, role, body }: Exclude<StoredMessage, Withdrawn>, names: ReadonlyMap<string, string>) {
  if (role === 'assistant') {
    const toolCalls = body.toolCalls.map(({ callId, name, arguments: raw }) => ({
      callId: callName(callId),
      name,
      arguments: raw,
    }));
    return { text: body.text || body.refusal, ...(toolCalls.length > 0 && { toolCalls }) };
  }
  const attachments = 'parts' in body && body.parts ? { attachments: body.parts } : {};
  if (role !== 'tool') return { text: body.text, ...attachments };
  const { callId, text, status } = body;
  return {
    text,
    ...attachments,
    callId: callName(callId),
    name: names.get(`${run} ${callId}`) ?? '',
    status,
  };
}

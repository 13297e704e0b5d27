import type { AnyOutcome, RunStatus } from '../../protocol/run-view.ts';
import type { Usage } from '../../protocol/usage.ts';
import type { StoredMessage } from '../../records/messages.ts';
import { outputOf } from '../../records/stored-run.ts';
import type { RunRow } from '../../store/rows.ts';
import { conversationOf, type SessionMessage } from '../conversation.ts';
import { isImported } from '../is-imported.ts';
import { Tally } from '../story/tally.ts';

/** A session in a list. Times are milliseconds since the epoch. */
export interface SessionSummary {
  sessionId: string;
  runs: number;
  /** Status of the first unfinished run, or of the last run; null without runs. */
  status: RunStatus | null;
  /** Of that run's statechart, as people know it: `thinking`, `awaitingConfirm`; null without runs. */
  state: string | null;
  /** The tools that it asks a person about, or its client for; left out when it asks nothing. */
  asks?: string[];
  /** Why that run failed; left out when it did not. */
  error?: { code: string; message: string };
  /** The first words of the last answer, on one line; empty without one. */
  last: string;
  /** Of its newest run; null without runs. */
  outcome: AnyOutcome | null;
  /** The id of its chart, if that run is of a workflow. */
  workflow?: string;
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
  outcome: AnyOutcome | null;
  createdAt: number;
  updatedAt: number;
  /** Whether it is a history from a file. */
  imported: boolean;
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
  return {
    ...summary,
    usage: Tally.of(messages).usage,
    history: runs.map((run) => ({
      runId: run.id,
      status: statusOf(run),
      outcome: isImported(run) ? null : outcomeOf(run),
      createdAt: run.createdAt,
      updatedAt: run.updatedAt,
      imported: isImported(run),
    })),
    conversation: conversationOf(runs, messages, head),
  };
}

function outcomeOf(row: RunRow): AnyOutcome | null {
  return outputOf(row)?.outcome ?? null;
}

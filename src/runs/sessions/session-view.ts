import type { Usage } from '../../protocol/content.ts';
import type { MethodOutput } from '../../protocol/methods.ts';
import type { AnyOutcome, RunStatus } from '../../protocol/views.ts';
import type { Row, RunRow } from '../../store/rows.ts';
import type { StoredMessage } from '../../store/stored-message.ts';
import { isImported, outputOf } from '../../store/stored-run.ts';
import { conversationOf } from '../story/conversation-view.ts';

/** A session in a list. Times are milliseconds since the epoch. */
export type SessionSummary = MethodOutput<'session.list'>['sessions'][number];

export type SessionRun = SessionView['history'][number];

export interface SessionView extends MethodOutput<'session.get'> {}

interface Shown {
  summary: SessionSummary;
  /** First ones first. */
  runs: readonly RunRow[];
  messages: readonly StoredMessage[];
  usage: Usage;
  ratings: readonly Row<'ratings'>[];
  head: { run: number; seq: number };
  statusOf(run: RunRow): RunStatus;
}

export function sessionView({ summary, runs, messages, usage, ratings, head, statusOf }: Shown): SessionView {
  return {
    ...summary,
    usage,
    history: runs.map((run) => ({
      runId: run.id,
      status: statusOf(run),
      outcome: isImported(run) ? null : outcomeOf(run),
      createdAt: run.createdAt,
      updatedAt: run.updatedAt,
      imported: isImported(run),
    })),
    conversation: conversationOf(runs, messages, head, ratings),
  };
}

function outcomeOf(row: RunRow): AnyOutcome | null {
  return outputOf(row)?.outcome ?? null;
}

import type { Output } from '#src/client/index.ts';
import { t } from './words.ts';

/** What the replay of one log came to. `unknown`: this program does not have its machine. */
export type Replayed =
  | { runId: string; kind: 'agrees'; transitions: number }
  | { runId: string; kind: 'unknown' }
  | { runId: string; kind: 'diverged' | 'unread'; what: string };

export interface ReplaySum {
  agree: number;
  transitions: number;
  unknown: number;
  diverged: { runId: string; what: string }[];
  unread: { runId: string; what: string }[];
}

/** What the gateway found when it folded a log. */
export function replayed(trace: Output<'run.trace'>): Replayed {
  const { runId, machine, lastSeq, agrees } = trace;
  const diverged = trace.diverged as { seq: number; what: string } | undefined;
  if (!machine.known) return { runId, kind: 'unknown' };
  if (diverged !== undefined || agrees < lastSeq)
    return {
      runId,
      kind: 'diverged',
      what: t.divergedAt(diverged?.seq ?? agrees + 1, diverged?.what ?? ''),
    };
  return { runId, kind: 'agrees', transitions: agrees };
}

export function sumOf(found: readonly Replayed[]): ReplaySum {
  const sum: ReplaySum = { agree: 0, transitions: 0, unknown: 0, diverged: [], unread: [] };
  for (const one of found)
    switch (one.kind) {
      case 'agrees':
        sum.agree++;
        sum.transitions += one.transitions;
        break;
      case 'unknown':
        sum.unknown++;
        break;
      default:
        sum[one.kind].push({ runId: one.runId, what: one.what });
    }
  return sum;
}

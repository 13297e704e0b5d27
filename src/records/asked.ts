import type { ConfirmationRow } from '../store/rows.ts';
import { callName } from './call-id.ts';
import type { Decision } from './decision.ts';

/** What a run waits for, by its row. */
export interface Asked {
  callId: string;
  kind: string;
  tool: string;
  /** JSON, with known secrets taken out. */
  arguments: string;
  /** The rule by which it is asked. */
  why: string;
  askedAt: number;
}

type Row = Pick<ConfirmationRow, 'call' | 'kind' | 'body' | 'askedAt'>;

export function askedOf({ call, kind, body, askedAt }: Row): Asked {
  const {
    name,
    arguments: given,
    why,
  } = JSON.parse(body) as { name: string; arguments: string; why: string };
  return { callId: callName(call), kind, tool: name, arguments: given, why, askedAt };
}

/** What became of the question, and how long it waited; null while it is open. */
export function decidedOf({ decision, askedAt }: Pick<ConfirmationRow, 'decision' | 'askedAt'>) {
  if (decision === null) return null;
  const { verdict, by = null, at } = JSON.parse(decision) as Decision;
  return { verdict, by, decidedAt: at, waitedMs: Math.max(0, at - askedAt) };
}

import { notFound } from '../../engine/commit.ts';
import type { Engine } from '../../engine/engine.ts';
import { DetentError } from '../../protocol/error.ts';
import { type Decision, isOpen, type Question } from '../../store/stored-call.ts';
import type { Store } from '../rows/statements.ts';
import { Decided, type DecisionResult, newestQuestion, verdictOf } from './decisions.ts';
import { type Letter, settlesWith } from './mailbox.ts';

type Decides = 'confirm' | 'reconcile';

interface Parts {
  engine: Engine;
  store: Store;
  redact(text: string): string;
}

/**
 * Delivers a decision on a call.
 *
 * @param asked what the row of the decision keeps.
 * @throws DetentError `NOT_FOUND`, `NOT_WAITING`, and what the delivery throws.
 */
export async function sendDecision(
  { engine, store, redact }: Parts,
  { tenant, runId, callId, kind }: { tenant: number; runId: string; callId: number; kind: Decides },
  asked: Omit<Decision, 'at'>,
  delivery: Parameters<Engine['send']>[2],
  letter: Letter,
): Promise<DecisionResult> {
  try {
    const applied = appliedDecision(asked);
    const settling = { ...delivery, ...settlesWith(letter, applied) };
    const { kind: receipt } = await engine.send(tenant, runId, settling);
    // A repeated command gets the result of the first.
    if (receipt === 'moved' || receipt === 'duplicate') return applied;
  } catch (error) {
    if (!(error instanceof Decided)) throw error;
    return lateResult(error.question, asked, redact);
  }
  const row = await store.query('loadRun', { tenant, id: runId });
  if (!row) throw notFound(runId);
  const earlier = await store.commit(() => newestQuestion(row.pk, callId, kind));
  if (earlier && !isOpen(earlier)) return lateResult(earlier, asked, redact);
  throw new DetentError(
    'NOT_WAITING',
    `call c${callId} of run ${runId}: the run no longer waits for this decision (${asked.verdict})`,
  );
}

/** The result of a decision that is the first one. */
export function appliedDecision({ verdict }: { verdict: string }) {
  return { applied: true, verdict, stands: true };
}

/**
 * The result of a decision that came after another one. A repeated decision succeeds if both are equal, including
 * arguments, answers and results.
 */
function lateResult(
  earlier: Question,
  asked: Omit<Decision, 'at'>,
  redact: (text: string) => string,
): DecisionResult {
  const verdict = verdictOf(earlier);
  // The row has redacted text.
  const mine = JSON.parse(redact(JSON.stringify(asked))) as Decision;
  const isSame = (field: 'arguments' | 'answer' | 'resultHash') =>
    JSON.stringify(earlier.decision?.[field]) === JSON.stringify(mine[field]);
  return {
    applied: false,
    verdict,
    stands: verdict === mine.verdict && isSame('arguments') && isSame('answer') && isSame('resultHash'),
  };
}

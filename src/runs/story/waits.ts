import type { CloseCode } from '../../../machines/run.types.ts';
import { confirmationAfter } from '../../call/close-calls.ts';
import type { Action } from '../../engine/decide.ts';
import type { QuestionKind } from '../../protocol/enums.ts';
import type { ConfirmationStatus } from '../../store/rows.ts';

/** A question about a call begins or ends. `step`: of a workflow. `isOver`: the call ends with it. */
type Wait =
  | { call: number; kind: QuestionKind; step?: string }
  | { call: number; kind: null; status: ConfirmationStatus; step?: string; isOver?: boolean };

/** What people are asked, and not asked any more, by the row actions of a transition: of an agent's run, or of a workflow. */
export function waitsIn(rows: readonly Action[]): Wait[] {
  return rows.flatMap(({ type, params }): Wait[] => {
    // Of a workflow: the number and the id of a step.
    const step = { call: Number(params.n), step: String(params.id) };
    if (type === 'reconcile.ask') return [{ ...step, kind: 'reconcile' }];
    if (type === 'reconcile.close') return [{ ...step, kind: null, status: 'withdrawn' }];
    const { calls = [], kind, code } = params as { calls?: number[]; kind: QuestionKind; code: CloseCode };
    if (type === 'confirm.request') return calls.map((call) => ({ call, kind }));
    if (type !== 'call.close' && type !== 'question.close') return [];
    const status = confirmationAfter(code);
    return calls.map((call) => ({ call, kind: null, status, isOver: type === 'call.close' }));
  });
}

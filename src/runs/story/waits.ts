import type { CloseCode } from '../../../machines/run.types.ts';
import { confirmationAfter } from '../../call/messages.ts';
import type { Action } from '../../engine/machine.ts';
import type { QuestionKind } from '../../protocol/enums.ts';
import type { ConfirmationStatus } from '../../store/rows.ts';
import { type CallDecision, type Decision, isCallDecision, type LogEvent } from '../../store/stored-call.ts';

/** A question about a call begins or ends. `step`: of a workflow. */
type Wait = { call: number; step?: string } & ({ kind: QuestionKind } | End);

/** `isOver`: the call ends with the question. `why`: of a decision. */
interface End {
  kind: null;
  status: ConfirmationStatus;
  verdict: string;
  why?: Pick<Decision, 'reason' | 'answer'>;
  isOver?: boolean;
}

/** What people are asked, and not asked any more: by an event, which is null at the creation of a run, and by its row actions. */
export function waitsIn(event: LogEvent | null, rows: readonly Action[]): Wait[] {
  return [...(event && isCallDecision(event) ? [decided(event)] : []), ...rows.flatMap(waitsOf)];
}

const statuses: Readonly<Record<string, ConfirmationStatus>> = {
  approve: 'approved',
  modify: 'modified',
  reject: 'rejected',
};

function decided({ type, callId: call, verdict, reason, answer, given }: CallDecision): Wait {
  const status = type === 'tool.reconcile' ? 'settled' : (statuses[verdict] ?? 'settled');
  const said = given !== undefined ? 'result' : answer !== undefined ? 'answer' : verdict;
  const why = { ...(reason !== undefined && { reason }), ...(answer !== undefined && { answer }) };
  return { call, kind: null, status, verdict: said, why };
}

function waitsOf({ type, params }: Action): Wait[] {
  const closed = (status: ConfirmationStatus) => ({ kind: null, status, verdict: status });
  // Of a workflow: the number and the id of a step.
  const step = { call: Number(params.n), step: String(params.id) };
  if (type === 'reconcile.ask') return [{ ...step, kind: 'reconcile' }];
  if (type === 'reconcile.close') return [{ ...step, ...closed('withdrawn') }];
  const { calls = [], kind, code } = params as { calls?: number[]; kind: QuestionKind; code: CloseCode };
  if (type === 'confirm.request') return calls.map((call) => ({ call, kind }));
  if (type !== 'call.close' && type !== 'question.close') return [];
  return calls.map((call) => ({ call, ...closed(confirmationAfter(code)), isOver: type === 'call.close' }));
}

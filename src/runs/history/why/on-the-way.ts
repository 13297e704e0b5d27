import type { Sentence } from '../../../protocol/views.ts';
import { callName } from '../../../store/stored-call.ts';
import { brief, briefError } from './chain.ts';
import { type CallFacts, callsOf, type Evidence, type Judged, withdrawnAt } from './evidence.ts';
import { callLine } from './limit-reached.ts';
import { say } from './say.ts';

/** What went wrong without ending the run: failed and refused calls, failed attempts, dead processes. */
export function troubleOnTheWay(evidence: Evidence): Sentence[] {
  const calls = callsOf(evidence);
  return [
    ...calls.flatMap(callTrouble),
    ...evidence.transitions.flatMap((one) => {
      const { seq, event } = one;
      if (event.type === 'run.resumed') return [takenOver(one)];
      const { type, error, from = '', to = '' } = event;
      if (!error) return [];
      const why = say('failure', { code: error.code, message: briefError(error.message) });
      if (type === 'model.failed')
        return [say('model_call_failed', { seq, why, ...ofWithdrawn(evidence, seq) })];
      if (type === 'model.switched')
        return [say('model_switched', { seq, from, to, why, ...ofWithdrawn(evidence, seq) })];
      if (type === 'flush.failed') return [say('memory_not_written', { seq, why })];
      return type === 'compact.failed' ? [say('no_summary', { seq, why })] : [];
    }),
  ];
}

/** A transition of `run.resumed`: a process took the run over, or the machine slept. */
export function takenOver({ seq, at, event }: Judged): Sentence {
  return event.isSameDriver
    ? say('slept', { seq, at })
    : say('resumed', { seq, at, gap: at - Number(event.lastAt) });
}

/** The text, calls and cost of an answer that was withdrawn. */
function ofWithdrawn(evidence: Evidence, seq: number): { withdrawn?: Sentence; cost?: Sentence } {
  const body = withdrawnAt(evidence, seq);
  if (!body) return {};
  const { text, toolCalls, usage } = body;
  const said = brief(text, 80) || undefined;
  const calls = toolCalls.map(({ name }) => name).join(', ') || undefined;
  return {
    ...((said || calls) && { withdrawn: say('withdrawn', { text: said, calls }) }),
    ...(usage && {
      cost: say(usage.estimated ? 'cost_estimated' : 'cost', {
        input: usage.inputTokens,
        output: usage.outputTokens,
      }),
    }),
  };
}

/** What went wrong with a call, and who rejected it; nothing for a call that succeeded. */
function callTrouble(call: CallFacts): Sentence[] {
  const { result, callId, questions } = call;
  if (!result) return [];
  if (!result.isError) return approvedBy(call);
  const what = say('call', {
    call: callName(callId),
    name: call.name,
    arguments: brief(call.arguments, 120),
  });
  const text = brief(result.text);
  if (result.code === 'REJECTED_BY_USER') {
    const decision = questions.at(-1)?.decision;
    const who = decision?.by ?? say('a_person');
    return [say('call_rejected', { who, call: what, reason: reasonWords(decision?.reason) })];
  }
  if (result.code === 'TOOL_NOT_ALLOWED' || result.code === 'REJECTED_BY_POLICY')
    return [say('call_rejected_by_policy', { call: what, text })];
  if (result.code === 'TIMEOUT') return [say('call_timed_out', { call: what, text })];
  return [callLine(call)];
}

function approvedBy({ callId, name, questions }: CallFacts): Sentence[] {
  const { verdict, by } = questions.at(-1)?.decision ?? {};
  const code = ({ approve: 'call_approved', modify: 'call_changed', answer: 'call_answered' } as const)[
    verdict ?? ''
  ];
  return code && by !== undefined ? [say(code, { by, call: callName(callId), name })] : [];
}

/** Why a person rejected or cancelled something. */
export function reasonWords(reason: string | undefined): Sentence {
  return reason === undefined ? say('no_reason') : say('reason_given', { reason });
}

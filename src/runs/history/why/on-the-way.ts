import { callName } from '../../../store/stored-call.ts';
import { duration } from '../../../text/wording.ts';
import { brief } from './chain.ts';
import { type CallFacts, callsOf, type Evidence, withdrawnAt } from './evidence.ts';
import { moment } from './finding.ts';
import { callLine } from './limit-reached.ts';

/** What went wrong without ending the run: failed and refused calls, failed attempts, dead processes. */
export function troubleOnTheWay(evidence: Evidence): string[] {
  const calls = callsOf(evidence);
  return [
    ...calls.flatMap(callTrouble),
    ...evidence.transitions.flatMap(({ seq, at, event }) => {
      if (event.type === 'run.resumed')
        return [
          event.isSameDriver
            ? `seq ${seq}: the machine slept, or its clock was set, until ${moment(at)}; that is no working time`
            : `seq ${seq}: a process took the run over at ${moment(at)}, after ${duration(at - Number(event.lastAt))} without one`,
        ];
      const { type, error, from, to } = event;
      const why = error && `${error.code}: ${brief(error.message)}`;
      if (type === 'model.failed')
        return [`seq ${seq}: a model call failed: ${why}${ofWithdrawn(evidence, seq)}`];
      if (type === 'model.switched')
        return [
          `seq ${seq}: ${from} failed: ${why}; the call went to ${to} instead${ofWithdrawn(evidence, seq)}`,
        ];
      if (type === 'flush.failed') return [`seq ${seq}: the memory file was not written: ${why}`];
      return type === 'compact.failed' ? [`seq ${seq}: no summary was made: ${why}`] : [];
    }),
  ];
}

/** The text, calls and cost of an answer that was withdrawn. */
function ofWithdrawn(evidence: Evidence, seq: number): string {
  const body = withdrawnAt(evidence, seq);
  if (!body) return '';
  const { text, toolCalls, usage } = body;
  const said = text === '' ? '' : ` "${brief(text, 80)}"`;
  const calls =
    toolCalls.length === 0 ? '' : ` (with ${toolCalls.map(({ name }) => name).join(', ')}, never run)`;
  const begun = said === '' && calls === '' ? '' : `; its answer had begun and was withdrawn${said}${calls}`;
  const tokens = usage
    ? `; it cost ${usage.inputTokens} tokens in and ${usage.outputTokens} out${usage.estimated ? ' (estimated)' : ''}`
    : '';
  return begun + tokens;
}

/** What went wrong with a call, and who rejected it; nothing for a call that succeeded. */
function callTrouble(call: CallFacts): string[] {
  const { result, callId, questions } = call;
  if (!result) return [];
  if (!result.isError) return approvedBy(call);
  const what = `${callName(callId)} ${call.name}(${brief(call.arguments, 120)})`;
  if (result.code === 'REJECTED_BY_USER') {
    const decision = questions.at(-1)?.decision;
    const who = decision?.by ?? 'a person';
    const reason = decision?.reason === undefined ? 'no reason given' : `reason: "${decision.reason}"`;
    return [`${who} rejected ${what} (${reason})`];
  }
  if (result.code === 'TOOL_NOT_ALLOWED' || result.code === 'REJECTED_BY_POLICY')
    return [`policy rejected ${what}: ${brief(result.text)}`];
  if (result.code === 'TIMEOUT') return [`${what} timed out: ${brief(result.text)}`];
  return [callLine(call)];
}

function approvedBy({ callId, name, questions }: CallFacts): string[] {
  const decision = questions.at(-1)?.decision;
  const said = { approve: 'approved', modify: 'changed and approved', answer: 'answered' }[
    decision?.verdict ?? ''
  ];
  return said && decision?.by !== undefined ? [`${decision.by} ${said} ${callName(callId)} ${name}`] : [];
}

/** The calls that policy refused, not a person. */
export function refusedByPolicy(evidence: Evidence): CallFacts[] {
  return callsOf(evidence).filter(
    ({ result }) => result?.code === 'TOOL_NOT_ALLOWED' || result?.code === 'REJECTED_BY_POLICY',
  );
}

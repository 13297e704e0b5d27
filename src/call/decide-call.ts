import type { AnswerCall } from '../../machines/run.types.ts';
import type { CallPlan, PlanContext } from '../ports/toolbox.ts';
import { argumentsHash, type CallInput, callKey } from '../records/call-input.ts';
import type { StoredTaint, ToolBody } from '../records/stored-message.ts';
import type { RunRow } from '../store/rows.ts';
import type { CallJob, CallServices } from './call-job.ts';
import { grantsOf } from './grants.ts';
import type { Store } from './statements.ts';
import { taintView } from './taint.ts';

/** The run that makes a call, and the sources of untrusted text in what the call rests on. */
interface Calling {
  run: Pick<RunRow, 'id' | 'pk' | 'session' | 'sessionKey'>;
  /** With the approval of the run as it stands now. */
  options: Pick<CallJob['options'], 'tools' | 'approve' | 'approveGiven'>;
  tainted: readonly StoredTaint[];
}

/** What policy decides with, whoever asks for the call. */
export async function policyContext(
  { store, workspace }: Pick<CallServices, 'workspace'> & { store: Store<'listGrants'> },
  { run, options, tainted }: Calling,
): Promise<PlanContext> {
  const { tools, approve, approveGiven = false } = options;
  return {
    runId: run.id,
    sessionId: run.sessionKey,
    allowed: tools,
    approve,
    approveGiven,
    workspace,
    tainted: taintView(tainted, run.pk),
    grants: await grantsOf(store, run.session),
  };
}

/** Policy's decision on a call: for the machine, and for the rows of its commit. */
export interface DecidedCall {
  call: AnswerCall;
  why: string;
  /** The bytes to execute; null for a refused call. */
  input: CallInput | null;
  /** The result of a refused call. */
  refused: ToolBody | null;
}

export async function decidedCall(
  callId: number,
  { name, arguments: raw }: Pick<CallInput, 'name' | 'arguments'>,
  plan: CallPlan,
): Promise<DecidedCall> {
  const { why } = plan;
  if (plan.gate !== 'refuse')
    return {
      call: { callId, gate: plan.gate, class: plan.sideEffect },
      why,
      input: await inputOf({ name, arguments: raw }, plan),
      refused: null,
    };
  const { code, text } = plan;
  const byPolicy = code === 'TOOL_NOT_ALLOWED' || code === 'REJECTED_BY_POLICY';
  return {
    call: { callId, gate: 'refuse', class: 'readonly', byPolicy, key: callKey(name, raw) },
    why,
    input: null,
    refused: { callId, text, isError: true, code, status: byPolicy ? 'rejected' : 'failed' },
  };
}

async function inputOf(
  call: Pick<CallInput, 'name' | 'arguments'>,
  plan: Exclude<CallPlan, { gate: 'refuse' }>,
): Promise<CallInput> {
  // Only a person's decision names a hash, so only calls that wait for one are hashed.
  if (plan.gate === 'run') return { ...call, why: plan.why, hash: '' };
  const { guarded, preview, question, client, asIs } = plan;
  return {
    ...call,
    why: plan.why,
    hash: await argumentsHash(call.arguments),
    ...(guarded && { guarded }),
    ...(preview && { preview }),
    ...(question && { question }),
    ...(client && { client }),
    ...(asIs && { asIs }),
  };
}

import { isMending } from '../../../machines/run.rules.ts';
import type { AnswerCall, CallCost } from '../../../machines/run.types.ts';
import type { Fact } from '../../engine/machine-host.ts';
import type { CheckedOutput } from '../../ports/output-schema.ts';
import type { CallPlan } from '../../ports/toolbox.ts';
import type { FinishKind, ModelAnswer, ModelToolCall } from '../../protocol/answer.ts';
import type { CallInput } from '../../records/call-input.ts';
import { argumentsHash, callKey } from '../../records/call-input.ts';
import type { AssistantBody, ToolBody } from '../../records/messages.ts';
import { writeMessage } from '../messages/write-message.ts';
import { approvalNow } from '../policy/approval.ts';
import { grantsOf } from '../policy/grants.ts';
import { taintView } from '../policy/taint.ts';
import type { RunJob } from '../run-effect.ts';
import type { AgentServices } from '../services.ts';

/** During a model call nothing else creates effects, so the numbers after its own belong to its calls. */
export function callIdOf(effectId: number, index: number): number {
  return effectId + 1 + index;
}

interface TakenAnswer {
  answer: ModelAnswer;
  body: AssistantBody;
  cost: CallCost;
}

/** The fact of an answer, with policy's decision on each of its calls and the rows that store them. */
export async function takeAnswer(
  services: AgentServices,
  { effectId, run, options, context }: RunJob,
  { answer, body, cost }: TakenAnswer,
): Promise<Fact> {
  const calls: AnswerCall[] = [];
  const inputs = new Map<number, string>();
  const refused: ToolBody[] = [];
  const refusals: { callId: number; code: string; why: string }[] = [];
  // A filtered or refused answer ends the run, so its calls never run.
  const isCut = answer.finish === 'contentFilter' || answer.finish === 'refusal';
  const whys: string[] = [];
  const asksForCalls = !isCut && answer.toolCalls.length > 0;
  const { approve, approveGiven = false } = await approvalNow(services.store, run, options);
  const planContext = {
    runId: run.id,
    sessionId: run.sessionKey,
    allowed: options.tools,
    approve,
    approveGiven,
    workspace: services.workspace,
    tainted: taintView(body.tainted ?? [], run.pk),
    grants: asksForCalls ? await grantsOf(services.store, run.session) : [],
    preview: { workspace: services.workspace, redact: services.redact },
  };
  let clientCalls = 0;
  for (const [i, call] of (isCut ? [] : answer.toolCalls).entries()) {
    const callId = callIdOf(effectId, i);
    const asked = await services.toolbox.plan(call.name, call.arguments, planContext);
    const isClients = asked.gate === 'ask' && asked.client === true;
    if (isClients) clientCalls++;
    const plan = isClients && clientCalls > 1 && options.clientCalls === 'one' ? oneAtATime : asked;
    calls.push(answerCall(callId, call, plan));
    whys.push(plan.why);
    if (plan.gate === 'refuse') {
      refusals.push({ callId, code: plan.code, why: plan.why });
      refused.push({
        callId,
        text: plan.text,
        isError: true,
        code: plan.code,
        status: isPolicy(plan.code) ? 'rejected' : 'failed',
      });
    } else
      inputs.set(
        callId,
        JSON.stringify({ ...(await callInput(call, plan)), ...(options.call?.again && { again: true }) }),
      );
  }
  const finish =
    answer.finish === 'stop' && answer.text === '' && answer.refusal !== '' ? 'refusal' : answer.finish;
  const checked = asksForCalls ? null : await checkOutput(services, { run, options }, finish, answer.text);
  const taken: AssistantBody = {
    ...body,
    toolCalls: isCut ? [] : body.toolCalls.map((call, i) => ({ ...call, why: whys[i] ?? '' })),
    ...(checked?.fits && { output: checked.value }),
    ...(checked &&
      !checked.fits && { unfit: checked.problems, ...(!isMending(context) && { isToMend: true }) }),
  };
  return {
    event: {
      type: 'model.done',
      effectId,
      finish,
      text: answer.text.trim() !== '',
      ...(checked && { fits: checked.fits }),
      calls,
      cost,
      // Only for readers of the log; the machine ignores these fields.
      ...(refusals.length > 0 && { refusals }),
    },
    inputs,
    *writes(scope) {
      yield* writeMessage(scope, 'assistant', taken);
      for (const result of refused) yield* writeMessage(scope, 'tool', result);
    },
  };
}

const oneAtATime: CallPlan = {
  gate: 'refuse',
  code: 'ONE_CALL_AT_A_TIME',
  text: 'Not run: this client takes one call of its tools at a time. Make the call again when you have the result of the first one.',
  why: 'run option: one client call',
};

/** Null without an output schema, and for an answer that is none: refused, filtered or cut off. */
async function checkOutput(
  { outputs }: AgentServices,
  { run, options: { output, agent, principal } }: Pick<RunJob, 'run' | 'options'>,
  finish: FinishKind,
  text: string,
): Promise<CheckedOutput | null> {
  if (!output || finish === 'refusal' || finish === 'contentFilter' || finish === 'length') return null;
  const owner = `${run.tenant} ${JSON.stringify(principal?.userId ?? null)}`;
  return outputs.check({ id: run.id, owner, ...(agent !== undefined && { agent }) }, output, text);
}

async function callInput(call: ModelToolCall, plan: CallPlan): Promise<CallInput> {
  return {
    name: call.name,
    arguments: call.arguments,
    why: plan.why,
    // Only a person's decision names a hash, so only calls that wait for one are hashed.
    hash: plan.gate === 'ask' ? await argumentsHash(call.arguments) : '',
    ...(plan.gate === 'ask' && plan.guarded && { guarded: true }),
    ...(plan.gate === 'ask' && plan.preview && { preview: plan.preview }),
    ...(plan.gate === 'ask' && plan.question && { question: plan.question }),
    ...(plan.gate === 'ask' && plan.client && { client: true }),
    ...(plan.gate === 'ask' && plan.asIs && { asIs: true }),
  };
}

function answerCall(callId: number, call: ModelToolCall, plan: CallPlan): AnswerCall {
  if (plan.gate !== 'refuse') return { callId, gate: plan.gate, class: plan.sideEffect };
  return {
    callId,
    gate: 'refuse',
    class: 'readonly',
    byPolicy: isPolicy(plan.code),
    key: callKey(call.name, call.arguments),
  };
}

function isPolicy(code: string): boolean {
  return code === 'TOOL_NOT_ALLOWED' || code === 'REJECTED_BY_POLICY';
}

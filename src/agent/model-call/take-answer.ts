import { isMending } from '../../../machines/run.rules.ts';
import type { CallCost } from '../../../machines/run.types.ts';
import { type DecidedCall, decidedCall, policyContext } from '../../call/call-host.ts';
import { writeMessage } from '../../call/messages.ts';
import { approvalNow } from '../../call/policy.ts';
import type { Fact } from '../../engine/machine.ts';
import type { FinishKind, ModelAnswer } from '../../protocol/content.ts';
import type { CallPlan, CheckedOutput } from '../../protocol/ports.ts';
import { reasonText } from '../../protocol/views.ts';
import type { AssistantBody } from '../../store/stored-message.ts';
import type { RunJob } from '../effect/run-effect.ts';
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
  const decided: DecidedCall[] = [];
  // A filtered or refused answer ends the run, so its calls never run.
  const isCut = answer.finish === 'contentFilter' || answer.finish === 'refusal';
  const asked = isCut ? [] : answer.toolCalls;
  if (asked.length > 0) {
    const { store, toolbox, workspace, redact } = services;
    const approval = await approvalNow(store, run, options);
    const calling = { run, options: { tools: options.tools, ...approval }, tainted: body.tainted ?? [] };
    const context = { ...policyContext(services, calling), preview: { workspace, redact } };
    let clientCalls = 0;
    for (const [i, call] of asked.entries()) {
      const plan = await toolbox.plan(call.name, call.arguments, context);
      const isClients = plan.gate === 'ask' && plan.client === true;
      if (isClients) clientCalls++;
      const isTooMany = isClients && clientCalls > 1 && options.clientCalls === 'one';
      decided.push(await decidedCall(callIdOf(effectId, i), call, isTooMany ? oneAtATime : plan));
    }
  }
  const inputs = new Map(
    decided.flatMap(({ call, input }) =>
      input ? [[call.callId, JSON.stringify({ ...input, ...(options.call?.again && { again: true }) })]] : [],
    ),
  );
  const refusals = decided.flatMap(({ refused, why }) =>
    refused ? [{ callId: refused.callId, code: refused.code, why }] : [],
  );
  const finish =
    answer.finish === 'stop' && answer.text === '' && answer.refusal !== '' ? 'refusal' : answer.finish;
  const checked =
    asked.length > 0 ? null : await checkOutput(services, { run, options }, finish, answer.text);
  const taken: AssistantBody = {
    ...body,
    toolCalls: isCut ? [] : body.toolCalls.map((call, i) => ({ ...call, why: decided[i]?.why ?? '' })),
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
      calls: decided.map(({ call }) => call),
      cost,
      // Only for readers of the log; the machine ignores these fields.
      ...(refusals.length > 0 && { refusals }),
    },
    inputs,
    *writes(scope) {
      yield* writeMessage(scope, 'assistant', taken);
      for (const { refused } of decided) if (refused) yield* writeMessage(scope, 'tool', refused);
    },
  };
}

const oneAtATime: CallPlan = {
  gate: 'refuse',
  code: 'ONE_CALL_AT_A_TIME',
  text: 'Not run: this client takes one call of its tools at a time. Make the call again when you have the result of the first one.',
  why: reasonText('run_takes_one'),
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

import type { Fact } from '../../engine/machine.ts';
import type { ModelAnswer } from '../../protocol/content.ts';
import { type GivenCall, givenCallModel } from '../../store/run-options.ts';
import { callName } from '../../store/stored-call.ts';
import type { AssistantBody } from '../../store/stored-message.ts';
import type { RunJob } from '../effect/run-effect.ts';
import type { AgentServices } from '../services.ts';
import { noCost } from './failed-call.ts';
import { callIdOf, takeAnswer } from './take-answer.ts';

/**
 * The first and only answer of a run that an earlier version was to make one given call with, and that had not begun. It
 * names the call as a model would, so that policy, people and readers of the log meet it like any other.
 */
export async function giveCall(services: AgentServices, job: RunJob, given: GivenCall): Promise<Fact> {
  const { effectId, run, options } = job;
  const { name, arguments: raw } = given;
  const { tainted = [] } = options;
  await services.toolbox.ready([name]);
  const callId = callIdOf(effectId, 0);
  const call = { id: `${run.id}.${callName(callId)}`, name, arguments: raw };
  const answer: ModelAnswer = {
    model: name,
    text: '',
    reasoning: '',
    refusal: '',
    toolCalls: [call],
    finish: 'toolCalls',
    finishReason: null,
    usage: null,
    error: null,
  };
  const body: AssistantBody = {
    ...answer,
    effectId,
    upTo: run.seq,
    provider: givenCallModel(name),
    costUsd: null,
    toolCalls: [{ ...call, callId }],
    error: null,
    ...(tainted.length > 0 && { tainted }),
  };
  return takeAnswer(services, job, { answer, body, cost: noCost });
}

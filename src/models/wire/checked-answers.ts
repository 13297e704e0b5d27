import { type ModelAnswer, unanswered } from '../../protocol/content.ts';
import { isObject } from '../../protocol/json.ts';
import type { ChatModel } from '../../protocol/ports.ts';
import { modelError } from './model-error.ts';

/** A model of the host program, which may be written without types: an answer that lacks fields fails its call by their names. */
export function withCheckedAnswers(chat: ChatModel, provider: string): ChatModel {
  const generate: ChatModel['generate'] = async (request, options) => {
    const answer = await chat.generate(request, options);
    const faults = faultsOf(answer);
    if (faults.length === 0) return answer;
    const message = `The model of provider "${provider}" returned no valid answer: ${faults.join(', ')}. See ModelAnswer.`;
    return unanswered(request.model, modelError('malformed', message, { retryable: false }));
  };
  return { ...chat, generate };
}

const words = ['text', 'reasoning', 'refusal', 'finish'] as const;

function faultsOf(answer: ModelAnswer): string[] {
  if (!isObject(answer)) return ['it is not an object'];
  const { toolCalls, usage, error } = answer;
  const isCall = (call: unknown) =>
    isObject(call) && [call.id, call.name, call.arguments].every((word) => typeof word === 'string');
  return [
    ...words.filter((name) => typeof answer[name] !== 'string').map((name) => `"${name}" is not a text`),
    ...(Array.isArray(toolCalls) ? [] : ['"toolCalls" is not a list']),
    ...(Array.isArray(toolCalls) && !toolCalls.every(isCall)
      ? ['"id", "name" and "arguments" of a tool call are not texts']
      : []),
    ...(usage === undefined ? ['"usage" is neither counts nor null'] : []),
    ...(error === undefined ? ['"error" is neither an error nor null'] : []),
  ];
}

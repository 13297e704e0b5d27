import type { ModelAnswer, ModelDelta } from '../protocol/answer.ts';

/** What watchers are told of an answer that came in one piece. */
export function wholeDeltas({ reasoning, text, refusal, toolCalls }: ModelAnswer): ModelDelta[] {
  const said = { reasoning, text, refusal };
  return [
    ...(['reasoning', 'text', 'refusal'] as const).flatMap((type) =>
      said[type] === '' ? [] : [{ type, text: said[type] }],
    ),
    ...toolCalls.map(({ id, name, arguments: argumentsDelta }, index) => ({
      type: 'toolCall' as const,
      index,
      id,
      name,
      argumentsDelta,
    })),
  ];
}

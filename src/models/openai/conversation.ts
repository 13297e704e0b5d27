import type { ModelToolCall } from '../../protocol/answer.ts';
import { isObject, parseJson } from '../../protocol/json.ts';

/**
 * A call of the conversation as servers take it back.
 *
 * @param offered the names of the tools in the request
 */
export function callToSend(
  { id, name, arguments: text }: ModelToolCall,
  offered: ReadonlySet<string>,
): ModelToolCall {
  // A name that the model made up ("web.search"), or one too long, would be refused in every later request.
  const safeName = offered.has(name) ? name : name.replace(/[^\w-]/g, '_').slice(0, 64) || 'unknown';
  return { id, name: safeName, arguments: validArguments(text) };
}

/**
 * Arguments as the model wrote them if they are a JSON object, else `{}`: Groq, Mistral and everything in front of
 * Anthropic parse them again and refuse the whole conversation when they are not. The result that follows the call
 * tells the model what was wrong with them.
 */
function validArguments(text: string): string {
  return isObject(parseJson(text)) ? text : '{}';
}

/** Tool output cut inside a surrogate pair is not valid Unicode, and servers refuse the whole body for it. */
export function clean(text: string): string {
  return text.toWellFormed();
}

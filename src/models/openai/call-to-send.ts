import type { ModelToolCall } from '../../protocol/content.ts';
import { isObject, parseJson } from '../../protocol/json.ts';

/** Arguments in the form to send, by the calls of a conversation: every request of a run sends all of them again. */
export type SentArguments = WeakMap<ModelToolCall, string>;

/**
 * A call of the conversation in a form that servers accept in later requests.
 *
 * @param offered the names of the tools in the request
 * @param known of calls in earlier requests; the function adds to it
 */
export function callToSend(
  call: ModelToolCall,
  offered: ReadonlySet<string>,
  known?: SentArguments,
): ModelToolCall {
  const { id, name } = call;
  // The server would refuse every later request that has an invalid name ("web.search") or too long a one.
  const safeName = offered.has(name) ? name : name.replace(/[^\w-]/g, '_').slice(0, 64) || 'unknown';
  const sent = known?.get(call) ?? validArguments(call.arguments);
  known?.set(call, sent);
  return { id, name: safeName, arguments: sent };
}

/**
 * Arguments as the model wrote them if they are a JSON object, else `{}`: Groq, Mistral and every proxy to Anthropic
 * parse them again, and refuse the whole conversation if that fails. The result that follows the call tells the model
 * what was wrong.
 */
function validArguments(text: string): string {
  return isObject(parseJson(text)) ? text : '{}';
}

/** Tool output cut inside a surrogate pair is not valid Unicode, and servers refuse the whole body for it. */
export function clean(text: string): string {
  return text.toWellFormed();
}

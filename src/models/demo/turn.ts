import { describePart, type ModelToolCall, withoutTextFiles } from '../../protocol/content.ts';
import { isObject, type JsonObject, parseJson } from '../../protocol/json.ts';
import {
  addedHeading,
  candidatesHeading,
  memoryHeading,
  type PromptMessage,
  unfitHeading,
  withoutSkill,
} from '../../protocol/ports.ts';

/** One settled tool call of the current turn. */
export interface ToolResult {
  tool: string;
  args: JsonObject;
  text: string;
  isError: boolean;
}

/** What has happened since the last answer without tool calls. */
interface Turn {
  /** The messages to handle: the last ones of the person, with no answer between them. */
  asked: readonly string[];
  /** Their attachments, described in words. */
  attached: readonly string[];
  /** Results from before `asked`: the user sent a message while the run was working. */
  earlier: readonly ToolResult[];
  /** The results since `asked`; null without an answer since. */
  results: readonly ToolResult[] | null;
}

/** Derives the current turn from the messages, which are the demo's only state. */
export function readTurn(messages: readonly PromptMessage[]): Turn {
  let asked: string[] = [];
  let attached: string[] = [];
  let earlier: ToolResult[] = [];
  let results: ToolResult[] | null = null;
  let open: readonly ModelToolCall[] = [];
  for (const message of messages) {
    if (message.role === 'user' && !isAdded(message.text)) {
      if (results) [asked, attached, earlier, results] = [[], [], [...earlier, ...results], null];
      const { words, files } = withoutTextFiles(withoutSkill(message.text));
      asked.push(words);
      attached.push(...(message.parts ?? []).map(describePart), ...files);
    } else if (message.role === 'tool') {
      const call = open.find(({ id }) => id === message.toolCallId);
      const { name, isError, parts = [] } = message;
      const mentions = parts.map((part) => `[${describePart(part)}]`);
      const text = [...(message.text === '' ? [] : [message.text]), ...mentions].join('\n');
      results?.push({ tool: name, args: argumentsOf(call), text, isError });
    } else if (message.role === 'assistant' && message.toolCalls.length > 0) {
      open = message.toolCalls;
      results ??= [];
    } else if (message.role === 'assistant') {
      [asked, attached, earlier, results] = [[], [], [], null];
    }
  }
  return { asked, attached, earlier, results };
}

/** Whether a hook, the memory or the list of skills wrote the message: it contains no request. */
function isAdded(text: string): boolean {
  return [addedHeading, memoryHeading, unfitHeading, candidatesHeading].some((heading) =>
    text.startsWith(heading),
  );
}

function argumentsOf(call: ModelToolCall | undefined): JsonObject {
  const args = parseJson(call?.arguments ?? '');
  return isObject(args) ? (args as JsonObject) : {};
}

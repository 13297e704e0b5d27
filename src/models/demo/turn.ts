import type { PromptMessage } from '../../ports/chat-model.ts';
import { addedHeading, memoryHeading, unfitHeading } from '../../ports/prompt-marks.ts';
import { candidatesHeading, withoutSkill } from '../../ports/skill-marks.ts';
import type { ModelToolCall } from '../../protocol/answer.ts';
import { isObject, type JsonObject, parseJson } from '../../protocol/json.ts';
import { describePart, withoutTextFiles } from '../../protocol/parts.ts';

/** One settled tool call of the current turn. */
export interface ToolResult {
  tool: string;
  args: JsonObject;
  text: string;
  isError: boolean;
}

/** What has happened since the last answer without tool calls. */
export interface Turn {
  /** The messages to handle: the last ones of the person, with no answer between them. */
  asked: readonly string[];
  /** Their attachments, described in words. */
  attached: readonly string[];
  /** Results from before `asked`: the user sent a message while the run was working. */
  earlier: readonly ToolResult[];
  /** The results since `asked`, one entry for each answer with calls. */
  rounds: ReadonlyArray<readonly ToolResult[]>;
}

/** Derives the current turn from the messages, which are the demo's only state. */
export function readTurn(messages: readonly PromptMessage[]): Turn {
  let asked: string[] = [];
  let attached: string[] = [];
  let earlier: ToolResult[] = [];
  let rounds: ToolResult[][] = [];
  let open: readonly ModelToolCall[] = [];
  for (const message of messages) {
    // Messages that a hook, the memory or the list of skills added contain no request.
    if (message.role === 'user' && isAdded(message.text)) continue;
    if (message.role === 'user') {
      if (rounds.length > 0) [asked, attached] = [[], []];
      earlier.push(...rounds.flat());
      rounds = [];
      const { words, files } = withoutTextFiles(withoutSkill(message.text));
      asked.push(words);
      attached.push(...(message.parts ?? []).map(describePart), ...files);
    } else if (message.role === 'tool') {
      const call = open.find(({ id }) => id === message.toolCallId);
      const { name, isError, parts = [] } = message;
      const mentions = parts.map((part) => `[${describePart(part)}]`);
      const text = [...(message.text === '' ? [] : [message.text]), ...mentions].join('\n');
      rounds.at(-1)?.push({ tool: name, args: argumentsOf(call), text, isError });
    } else if (message.role === 'assistant' && message.toolCalls.length > 0) {
      open = message.toolCalls;
      rounds.push([]);
    } else if (message.role === 'assistant') {
      [asked, attached, earlier, rounds] = [[], [], [], []];
    }
  }
  return { asked, attached, earlier, rounds };
}

function isAdded(text: string): boolean {
  return [addedHeading, memoryHeading, unfitHeading, candidatesHeading].some((heading) =>
    text.startsWith(heading),
  );
}

function argumentsOf(call: ModelToolCall | undefined): JsonObject {
  const args = parseJson(call?.arguments ?? '');
  return isObject(args) ? (args as JsonObject) : {};
}

import { type ContentPart, withNames } from '../../protocol/content.ts';
import { isObject, type JsonObject } from '../../protocol/json.ts';
import type { ModelRequest, PromptMessage, Thinking, ToolSpec } from '../../protocol/ports.ts';
import { withOutputInstruction } from '../wire/output-instruction.ts';
import { assistantContent } from './assistant-content.ts';
import { type AssistantMessage, ServerCalls } from './replay.ts';
import { textBlocks } from './text-block.ts';
import { ToolIds } from './tool-ids.ts';

interface MessagesDialect {
  /** Used when the request sets no limit, because the wire requires `max_tokens`. */
  maxTokens: number | null;
  /** Whether cache breakpoints mark the stable part of the prompt. */
  promptCaching: boolean;
  /** Default for calls without their own setting; null leaves it to the model. */
  thinking: Thinking | null;
}

/**
 * Builds the body of `POST /v1/messages`, for a streamed answer unless the request says otherwise.
 *
 * @param format the output schema for the server; without it the prompt asks for it
 * @see https://docs.claude.com/en/api/messages
 */
export function messagesRequestBody(
  asked: ModelRequest,
  dialect: MessagesDialect,
  format: JsonObject | null = null,
): JsonObject {
  const request = format ? asked : withOutputInstruction(asked);
  const { model, tools, maxOutputTokens, reasoningEffort, stream = true } = request;
  const thinking = request.thinking ?? dialect.thinking;
  const whole = {
    tools: tools.map(wireTool),
    system: request.messages.flatMap((message) =>
      message.role === 'system' ? textBlocks(message.text) : [],
    ),
    messages: wireMessages(request),
  };
  const parts = dialect.promptCaching ? withCacheMarks(whole) : whole;
  const maxTokens = maxOutputTokens ?? dialect.maxTokens ?? defaultMaxTokens(model);
  return {
    model,
    max_tokens: maxTokens,
    ...thinkingField(thinking, maxTokens, whole.messages),
    ...((reasoningEffort !== undefined || format) && {
      output_config: {
        ...(reasoningEffort !== undefined && { effort: reasoningEffort }),
        ...(format && { format }),
      },
    }),
    ...(parts.system.length > 0 && { system: parts.system }),
    ...(parts.tools.length > 0 && { tools: parts.tools }),
    messages: parts.messages as JsonObject[],
    stream,
  };
}

/** A large default, because a tool call may hold a whole file. */
function defaultMaxTokens(model: string): number {
  if (/claude-3-(opus|sonnet|haiku)/.test(model)) return 4_096;
  return /claude-(3-7|[a-z])/.test(model) ? 32_000 : 8_192;
}

type WireMessage = Cacheable['messages'][number];

/** Placeholders where the wire requires a user message and the conversation has none. */
const leftOut = '(Earlier messages are left out.)';
const goOn = 'Continue.';

function wireMessages({ messages, tools }: ModelRequest): WireMessage[] {
  const answers = messages.filter((message): message is AssistantMessage => message.role === 'assistant');
  const context = {
    ids: new ToolIds(),
    offered: new Set(tools.map((tool) => tool.name)),
    serverCalls: new ServerCalls(answers),
  };
  const wire: WireMessage[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') {
      const isLast = message === answers.at(-1);
      append(wire, 'assistant', assistantContent(message, { ...context, isLast }));
    } else append(wire, 'user', userContent(message, context.ids));
  }
  if (wire[0]?.role !== 'user') wire.unshift({ role: 'user', content: textBlocks(leftOut) });
  // Newer models refuse a request that ends with an assistant message: it counts as a prefill to continue.
  if (wire.at(-1)?.role !== 'user') wire.push({ role: 'user', content: textBlocks(goOn) });
  return wire.map(resultsFirst);
}

/** The wire wants alternating roles: joins consecutive user messages, and puts a user message between two answers. */
function append(wire: WireMessage[], role: WireMessage['role'], content: JsonObject[]): void {
  if (content.length === 0) return;
  const last = wire.at(-1);
  if (last?.role !== role) wire.push({ role, content: [...content] });
  else if (role === 'user') last.content.push(...content);
  else wire.push({ role: 'user', content: textBlocks(goOn) }, { role, content: [...content] });
}

/** Images come before the text about them: models read them better in that order. */
function partsAndWords({ text, parts }: { text: string; parts?: readonly ContentPart[] }): JsonObject[] {
  return [...partBlocks(parts), ...textBlocks(withNames(text, parts))];
}

function userContent(message: Exclude<PromptMessage, AssistantMessage>, ids: ToolIds): JsonObject[] {
  if (message.role === 'system') return [];
  if (message.role === 'user') return partsAndWords(message);
  const { toolCallId, name, text, isError, parts = [] } = message;
  const id = ids.forResult(toolCallId);
  if (id === undefined) return partsAndWords(message);
  // A result may be empty, an error may not.
  const words = text.trim() === '' && isError ? 'The tool failed.' : text.toWellFormed();
  // An error may hold text only; its images and files go behind all results.
  const [inside, behind] = isError ? [[], parts] : [parts, []];
  const content =
    inside.length > 0 ? [...textBlocks(withNames(words, inside)), ...partBlocks(inside)] : words;
  return [
    {
      type: 'tool_result',
      tool_use_id: id,
      ...((inside.length > 0 || words.trim() !== '') && { content }),
      ...(isError && { is_error: true }),
    },
    ...(behind.length > 0 ? textBlocks(`[Not from the user: ${name} failed, and returned this:]`) : []),
    ...partBlocks(behind),
  ];
}

/** The wire wants tool results directly behind their calls, before any text. */
function resultsFirst({ role, content }: WireMessage): WireMessage {
  const isResult = ({ type }: JsonObject) => type === 'tool_result';
  if (role === 'assistant') return { role, content };
  return { role, content: [...content.filter(isResult), ...content.filter((block) => !isResult(block))] };
}

/**
 * Images and documents as blocks.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/vision
 * @see https://platform.claude.com/docs/en/build-with-claude/pdf-support
 */
function partBlocks(parts: readonly ContentPart[] = []): JsonObject[] {
  return parts.map(({ type, mimeType, name, data }) => {
    const source = { type: 'base64', media_type: mimeType, data };
    if (type === 'image') return { type: 'image', source };
    return { type: 'document', source, ...(name !== undefined && { title: name }) };
  });
}

/** The wire refuses a smaller budget. */
const minBudget = 1_024;

/**
 * The `thinking` field, if the request can carry it. Thoughts count for `max_tokens`. With a budget the wire refuses
 * tool results whose call came without a thought, from another provider for instance.
 */
function thinkingField(
  thinking: Thinking | null,
  maxTokens: number,
  messages: Cacheable['messages'],
): JsonObject {
  if (thinking === null) return {};
  if (thinking === 'adaptive') return { thinking: { type: 'adaptive' } };
  const budget = Math.min(thinking.budgetTokens, maxTokens - 1);
  if (budget < minBudget || isThoughtless(messages)) return {};
  return { thinking: { type: 'enabled', budget_tokens: budget } };
}

function isThoughtless(messages: Cacheable['messages']): boolean {
  const answersCalls = messages.at(-1)?.content.some(({ type }) => type === 'tool_result');
  const first = messages.at(-2)?.content[0]?.type;
  return answersCalls === true && first !== 'thinking' && first !== 'redacted_thinking';
}

function wireTool({ name, description, parameters }: ToolSpec): JsonObject {
  return { name, ...(description !== '' && { description }), input_schema: inputSchema(parameters) };
}

/**
 * The wire refuses `oneOf`, `anyOf` and `allOf` at the top of a schema. This merges the properties of their branches and
 * requires none of them: the tool validates its arguments itself.
 */
function inputSchema(parameters: JsonObject): JsonObject {
  const { oneOf, anyOf, allOf, ...rest } = parameters;
  const branches = [oneOf, anyOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const offered = [...branches, rest].flatMap((branch) =>
    isObject(branch) && isObject(branch.properties) ? [branch.properties] : [],
  );
  const properties = Object.assign({}, ...offered) as JsonObject;
  return { ...rest, type: 'object', properties };
}

const mark = { cache_control: { type: 'ephemeral' } } as const;

/** The parts of a request, in the order of the provider's cache key. */
interface Cacheable {
  tools: JsonObject[];
  system: JsonObject[];
  /** Messages whose content is a list of blocks. */
  messages: { role: 'user' | 'assistant'; content: JsonObject[] }[];
}

/**
 * Sets the four cache breakpoints that the wire allows: after the tools, after the system prompt, and on the user's last
 * two messages. The next request repeats everything up to the last one. The previous request ended at the second-to-last
 * one: its own breakpoint makes the cache find it even when the answer between them is long.
 *
 * @see https://docs.claude.com/en/docs/build-with-claude/prompt-caching
 */
function withCacheMarks({ tools, system, messages }: Cacheable): Cacheable {
  const marked = messages.flatMap(({ role }, i) => (role === 'user' ? [i] : [])).slice(-2);
  return {
    tools: markLast(tools),
    system: markLast(system),
    messages: messages.map((message, i) =>
      marked.includes(i) ? { ...message, content: markLast(message.content) } : message,
    ),
  };
}

function markLast(blocks: JsonObject[]): JsonObject[] {
  return blocks.map((block, i) => (i === blocks.length - 1 ? { ...block, ...mark } : block));
}

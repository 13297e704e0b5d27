import {
  type Fields,
  fieldsOf,
  functionName,
  illFormed,
  isBlank,
  isFileData,
  isImageAddress,
  isJsonObject,
  isStrictSchema,
  listOf,
  outputSchemaViolations,
  repeated,
  unknownFields,
} from './rule.ts';

/**
 * Whose rules hold besides those of the wire.
 *
 * - `mistral`: ids of nine letters and digits, no fields that it does not know, no user directly after a result:
 *   https://docs.mistral.ai/api/ and https://mistralai.github.io/mistral-common/usage/tools/
 * - `thinking`: DeepSeek and Kimi with thinking on, which want the thoughts behind calls back:
 *   https://api-docs.deepseek.com/guides/thinking_mode and
 *   https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model
 * - `gateway`: OpenRouter, Vercel and others, which take fields and tools of their own.
 */
export type ChatServer = 'openai' | 'mistral' | 'thinking' | 'gateway';

const roles = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

/**
 * What a server of the chat-completions wire refuses a request for, checked strictly: answers what is wrong, in words.
 * Empty for a valid one.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
export function chatCompletionViolations(body: Fields, server: ChatServer = 'openai'): string[] {
  const messages = listOf(body.messages);
  return [
    ...illFormed(body),
    ...settingViolations(body, server),
    ...toolViolations(body, server),
    ...(messages.length > 0 ? [] : ['no messages']),
    ...messages.flatMap((message, i) => messageViolations(message, `message ${i}`, server)),
    ...orderViolations(messages, server),
    ...idViolations(messages, server),
  ];
}

/** All that the wire knows, with what most servers but OpenAI know (`reasoning_effort` and behind it). */
const settings = new Set(
  `model messages stream stream_options tools tool_choice parallel_tool_calls max_tokens max_completion_tokens temperature
  top_p n stop seed user metadata store response_format logprobs top_logprobs logit_bias frequency_penalty presence_penalty
  modalities audio prediction service_tier reasoning_effort verbosity web_search_options prompt_cache_key
  prompt_cache_retention safety_identifier moderation`.split(/\s+/),
);

/** https://docs.mistral.ai/api/#tag/chat: the server answers 422 to any other. */
const mistralSettings = new Set(
  `model messages stream tools tool_choice parallel_tool_calls max_tokens temperature top_p n stop random_seed metadata
  response_format frequency_penalty presence_penalty prediction prompt_mode safe_prompt`.split(/\s+/),
);

function settingViolations(body: Fields, server: ChatServer): string[] {
  const known = server === 'openai' ? settings : server === 'mistral' ? mistralSettings : null;
  const { model, stream, max_tokens, max_completion_tokens } = body;
  const limits = [max_tokens, max_completion_tokens].filter((limit) => limit !== undefined);
  return [
    ...(known ? unknownFields(body, known, 'the body') : []),
    ...(isBlank(model) ? ['no model'] : []),
    ...(stream === undefined || typeof stream === 'boolean' ? [] : ['stream is no boolean']),
    // "The 'stream_options' parameter is only allowed when 'stream' is enabled."
    ...(body.stream_options !== undefined && stream !== true ? ['stream_options without a stream'] : []),
    ...formatViolations(body),
    ...(limits.length > 1 ? ['both limits of tokens'] : []),
    ...(limits.every((limit) => Number.isInteger(limit) && Number(limit) > 0)
      ? []
      : ['a limit of no tokens']),
  ];
}

/** https://platform.openai.com/docs/api-reference/chat/create#chat-create-response_format */
function formatViolations({ response_format: format, messages }: Fields): string[] {
  if (format === undefined) return [];
  const { type, json_schema: schema, ...rest } = fieldsOf(format);
  const unknown = unknownFields(rest, new Set(), 'response_format');
  if (type === 'json_schema')
    return [...unknown, ...outputSchemaViolations(fieldsOf(schema), 'response_format')];
  if (type !== 'json_object')
    return [...unknown, ...(type === 'text' ? [] : [`response_format is of type ${type}`])];
  // "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."
  return /json/i.test(JSON.stringify(messages)) ? unknown : [...unknown, 'the JSON mode without the word'];
}

/** https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools: 128 functions at most. */
function toolViolations({ tools, tool_choice: choice }: Fields, server: ChatServer): string[] {
  if (tools === undefined) return choice === undefined ? [] : ['tool_choice without tools'];
  const functions = listOf(tools).filter(({ type }) => type === 'function' || server !== 'gateway');
  return [
    // "[] is too short - 'tools'"
    ...(listOf(tools).length > 0 ? [] : ['an empty list of tools']),
    ...(listOf(tools).length > 128 ? ['more than 128 tools'] : []),
    ...repeated(functions.map((tool) => fieldsOf(tool.function).name)).map((name) => `two tools ${name}`),
    ...functions.flatMap((tool) => {
      const { name, parameters, strict, ...rest } = fieldsOf(tool.function);
      const where = `tool "${name}"`;
      return [
        ...(tool.type === 'function' ? [] : [`${where} is of type ${tool.type}`]),
        ...(functionName.test(String(name)) ? [] : [`${where} has no valid name`]),
        ...unknownFields(rest, new Set(['description']), where),
        // "schema must be a JSON Schema of 'type: "object"'"
        ...(parameters === undefined || fieldsOf(parameters).type === 'object'
          ? []
          : [`${where} takes no object`]),
        ...(strict === true && !isStrictSchema(parameters) ? [`${where} is strict and open`] : []),
      ];
    }),
  ];
}

const messageFields: Readonly<Record<string, ReadonlySet<string>>> = {
  system: new Set(['role', 'content', 'name']),
  developer: new Set(['role', 'content', 'name']),
  user: new Set(['role', 'content', 'name']),
  assistant: new Set(['role', 'content', 'name', 'refusal', 'audio', 'tool_calls']),
  tool: new Set(['role', 'content', 'tool_call_id']),
};
/** Of other servers, which OpenAI takes in silence and Mistral refuses (422, "Extra inputs are not permitted"). */
const extensions = ['reasoning_content', 'reasoning', 'reasoning_details', 'cache_control'];

function messageViolations(message: Fields, at: string, server: ChatServer): string[] {
  const { role, content } = message;
  const where = `${at} (${role})`;
  if (!roles.has(String(role))) return [`${where} has no known role`];
  const known = messageFields[String(role)] ?? new Set<string>();
  const taken = server === 'mistral' ? known : new Set([...known, ...extensions]);
  return [
    ...unknownFields(message, taken, where),
    ...(role === 'assistant'
      ? answerViolations(message, where, server)
      : contentViolations(content, String(role), where)),
  ];
}

/** https://platform.openai.com/docs/guides/images-vision and /docs/guides/pdf-files: only the user shows things. */
function contentViolations(content: unknown, role: string, where: string): string[] {
  if (typeof content === 'string') return [];
  if (!Array.isArray(content)) return [`${where} has no content`];
  if (content.length === 0) return [`${where} has an empty list of parts`];
  return listOf(content).flatMap((part) => {
    const { type } = part;
    if (type === 'text')
      return typeof part.text === 'string' && part.text !== '' ? [] : [`${where} has an empty part`];
    if (role !== 'user') return [`${where} has a part of type ${type}`];
    const file = fieldsOf(part.file);
    if (type === 'image_url')
      return isImageAddress(fieldsOf(part.image_url).url) ? [] : [`${where} has an image without an address`];
    if (type === 'file')
      return file.file_id || (!isBlank(file.filename) && isFileData(file.file_data))
        ? []
        : [`${where} has a file without data`];
    return type === 'input_audio' ? [] : [`${where} has a part of type ${type}`];
  });
}

function answerViolations(message: Fields, where: string, server: ChatServer): string[] {
  const {
    content,
    tool_calls: calls,
    refusal,
    reasoning_content: thoughts,
    reasoning_details: details,
  } = message;
  const isSilent = content === null || content === undefined || content === '';
  const wrong: string[] = [];
  if (calls !== undefined && listOf(calls).length === 0) wrong.push(`${where} has an empty list of calls`);
  // Moonshot: "message at position 2 with role 'assistant' must not be empty"; OpenAI wants content or calls.
  if (isSilent && listOf(calls).length === 0 && !refusal && listOf(details).length === 0)
    wrong.push(`${where} is empty`);
  if (!isSilent && typeof content !== 'string') wrong.push(...contentViolations(content, 'assistant', where));
  // "thinking is enabled but reasoning_content is missing in assistant tool call message"
  if (server === 'thinking' && listOf(calls).length > 0 && typeof thoughts !== 'string')
    wrong.push(`${where} has calls without reasoning_content`);
  for (const call of listOf(calls)) {
    const { name, arguments: text, ...rest } = fieldsOf(call.function);
    if (call.type !== 'function') wrong.push(`${where} has a call of type ${call.type}`);
    if (server !== 'gateway') wrong.push(...unknownFields(call, new Set(['id', 'type', 'function']), where));
    wrong.push(...unknownFields(rest, new Set(), where));
    if (!functionName.test(String(name))) wrong.push(`${where} calls "${name}"`);
    // Groq, Mistral and everything in front of Anthropic parse them again.
    if (!isJsonObject(text)) wrong.push(`${where} has arguments that are no object`);
  }
  return wrong;
}

function idsOf({ role, tool_calls: calls }: Fields): unknown[] {
  return role === 'assistant' ? listOf(calls).map(({ id }) => id) : [];
}

/**
 * "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'", and
 * "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'":
 * https://platform.openai.com/docs/guides/function-calling
 */
function orderViolations(messages: readonly Fields[], server: ChatServer): string[] {
  const wrong: string[] = [];
  let open: unknown[] = [];
  let begun = false;
  for (const [i, message] of messages.entries()) {
    const where = `message ${i} (${message.role})`;
    const isSystem = message.role === 'system' || message.role === 'developer';
    // Chat templates of open models: "System message must be at the beginning."
    if (isSystem && begun) wrong.push(`${where} does not come first`);
    begun ||= !isSystem;
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id))
        wrong.push(`${where} answers no call: ${message.tool_call_id}`);
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0) wrong.push(`${where} comes before the results of ${open}`);
    open = idsOf(message);
    // "Unexpected role 'user' after role 'tool'"
    if (server === 'mistral' && message.role === 'user' && messages[i - 1]?.role === 'tool')
      wrong.push(`${where} follows a result`);
  }
  if (open.length > 0) wrong.push(`the last calls have no results: ${open}`);
  // Mistral: "Expected last role User or Tool"; for others an answer at the end is a beginning to go on with.
  const last = messages.at(-1)?.role;
  if (messages.length > 0 && last !== 'user' && last !== 'tool') wrong.push(`the last message is of ${last}`);
  return wrong;
}

/**
 * "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40"; Mistral: "Tool
 * call id … must be a-z, A-Z, 0-9, with a length of 9". A conversation that uses an id twice is read in two ways.
 */
const idForms: Readonly<Record<ChatServer, RegExp>> = {
  openai: /^.{1,40}$/su,
  gateway: /^.{1,40}$/su,
  mistral: /^[a-zA-Z0-9]{9}$/,
  thinking: /./su,
};

function idViolations(messages: readonly Fields[], server: ChatServer): string[] {
  const ids = messages.flatMap(idsOf);
  const valid = idForms[server];
  return [
    ...ids.filter((id) => typeof id !== 'string' || !valid.test(id)).map((id) => `id "${id}" is not valid`),
    ...repeated(ids).map((id) => `id "${id}" is used twice`),
  ];
}

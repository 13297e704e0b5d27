import { isObject } from '../../../src/protocol/json.ts';
import {
  type Fields,
  fieldsOf,
  functionName,
  illFormed,
  isBase64,
  isBlank,
  listOf,
  repeated,
  unknownFields,
} from './rule.ts';

type Block = Fields;
interface Message {
  role: string;
  content: Block[];
}

interface MessagesRules {
  /** Blocks with a signature that the provider gave, as JSON: none may come back changed. Null leaves that unchecked. */
  signed?: ReadonlySet<string> | null;
  /** Whether the turn of a server that paused goes back, as the last message. */
  resumes?: boolean;
}

/**
 * What the messages API refuses a request for, checked strictly: answers what is wrong, in words. Empty for a valid one.
 *
 * @see https://docs.claude.com/en/api/messages
 */
export function requestViolations(
  body: Fields,
  { signed = null, resumes = false }: MessagesRules = {},
): string[] {
  const messages = listOf(body.messages).map(({ role, content }) => ({
    role: String(role),
    content: blocksOf(content),
  }));
  const system = blocksOf(body.system ?? []);
  const tools = listOf(body.tools);
  return [
    ...illFormed(body),
    ...settingViolations(body),
    ...orderViolations(messages, resumes),
    ...system.flatMap((block) => [
      ...(block.type === 'text' ? [] : [`system has a ${block.type} block`]),
      ...blockViolations(block, 'system'),
    ]),
    ...toolViolations(tools, body),
    ...messages.flatMap((message, i) => messageViolations(message, i, messages, resumes)),
    ...thinkingViolations(body, messages, signed),
    ...idViolations(messages),
    ...serverCallViolations(messages, resumes),
    ...cacheViolations([tools, system, ...messages.map(({ content }) => content)].flat()),
  ];
}

function blocksOf(content: unknown): Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
}

/** "Extra inputs are not permitted". */
const settings = new Set(
  `model max_tokens messages system tools tool_choice thinking stream temperature top_p top_k stop_sequences metadata
  container service_tier cache_control output_config speed inference_geo diagnostics user_profile_id workspace_id
  mcp_servers context_management betas anthropic_version`.split(/\s+/),
);

/** https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations */
function outputViolations(config: unknown): string[] {
  if (config === undefined) return [];
  const { format, ...rest } = fieldsOf(config);
  const unknown = unknownFields(rest, new Set(['effort', 'task_budget']), 'output_config');
  if (format === undefined) return unknown;
  const { type, schema, ...other } = fieldsOf(format);
  return [
    ...unknown,
    ...unknownFields(other, new Set(), 'output_config.format'),
    ...(type === 'json_schema' ? [] : [`output_config.format is of type ${type}`]),
    ...(fieldsOf(schema).type === 'object' ? [] : ['output_config.format is of no object']),
    ...schemaViolations(schema),
  ];
}

const refusedKeywords =
  /^(minimum|maximum|exclusive.*|multipleOf|(min|max)(Length|Properties)|maxItems|pattern|.*[pP]roperties)$/;

/** "For 'object' type, 'additionalProperties' must be explicitly set to false"; "property 'maximum' is not supported". */
function schemaViolations(schema: unknown): string[] {
  const { type, properties, additionalProperties, items, anyOf, allOf, $defs, ...rest } = fieldsOf(schema);
  const within = [
    items ?? [],
    anyOf ?? [],
    allOf ?? [],
    Object.values({ ...fieldsOf(properties), ...fieldsOf($defs) }),
  ];
  return [
    ...(type === 'object' && additionalProperties !== false ? ['an object of the schema is open'] : []),
    ...Object.keys(rest).flatMap((word) => (refusedKeywords.test(word) ? [`the schema has ${word}`] : [])),
    ...within.flat().flatMap(schemaViolations),
  ];
}

function settingViolations(body: Fields): string[] {
  const { model, anthropic_version: cloud, max_tokens: most, stream } = body;
  return [
    ...unknownFields(body, settings, 'the body'),
    ...outputViolations(body.output_config),
    // On Bedrock and Vertex the address names the model.
    ...(isBlank(model) && cloud === undefined ? ['no model'] : []),
    ...(Number.isInteger(most) && Number(most) > 0 ? [] : ['no max_tokens']),
    ...(stream === undefined || typeof stream === 'boolean' ? [] : ['stream is no boolean']),
    ...(body.tools === undefined && body.tool_choice !== undefined ? ['tool_choice without tools'] : []),
  ];
}

/** "first message must use the user role"; newer models: "This model does not support assistant message prefill". */
function orderViolations(messages: readonly Message[], resumes: boolean): string[] {
  const last = messages.at(-1)?.role;
  return [
    ...(messages.length > 0 ? [] : ['no messages']),
    ...(messages.length === 0 || messages[0]?.role === 'user'
      ? []
      : ['the first message is not of the user']),
    ...(messages.length === 0 || last === 'user' || (resumes && last === 'assistant')
      ? []
      : ['the last message is not of the user']),
  ];
}

const shown = ['text', 'image', 'document', 'search_result'];
const thoughts = new Set<unknown>(['thinking', 'redacted_thinking']);

function messageViolations(
  { role, content }: Message,
  i: number,
  all: Message[],
  resumes: boolean,
): string[] {
  const where = `message ${i} (${role})`;
  const wrong: string[] = [];
  if (role !== 'user' && role !== 'assistant') return [`${where} is of nobody`];
  if (role === all[i - 1]?.role) wrong.push(`${where} follows one of the same role`);
  if (content.length === 0) return [...wrong, `${where} is empty`];
  for (const block of content) wrong.push(...blockViolations(block, where));
  return [...wrong, ...(role === 'user' ? resultViolations(i, all) : answerViolations(i, all, resumes))];
}

/** https://docs.claude.com/en/api/messages: what each block may hold. Of blocks to come only the type is known. */
const blockFields: Readonly<Record<string, ReadonlySet<string>>> = {
  text: new Set(['type', 'text', 'citations', 'cache_control']),
  image: new Set(['type', 'source', 'cache_control', 'transformations']),
  document: new Set(['type', 'source', 'title', 'context', 'citations', 'cache_control']),
  thinking: new Set(['type', 'thinking', 'signature']),
  redacted_thinking: new Set(['type', 'data']),
  tool_use: new Set(['type', 'id', 'name', 'input', 'caller', 'toolset_name', 'cache_control']),
  tool_result: new Set(['type', 'tool_use_id', 'content', 'is_error', 'toolset_name', 'cache_control']),
  server_tool_use: new Set(['type', 'id', 'name', 'input', 'caller', 'cache_control']),
};

/** "text content blocks must be non-empty", "text content blocks must contain non-whitespace text". */
function blockViolations(block: Block, where: string): string[] {
  const { type } = block;
  const fields = blockFields[String(type)];
  const wrong = fields ? unknownFields(block, fields, `${where}: ${type}`) : [];
  if (isBlank(type)) wrong.push(`${where} has a block of no type`);
  if (type === 'text' && isBlank(block.text)) wrong.push(`${where} has a blank text`);
  if (type === 'image') wrong.push(...imageViolations(fieldsOf(block.source), where));
  if (type === 'document') wrong.push(...documentViolations(fieldsOf(block.source), where));
  return wrong;
}

const imageTypes = new Set<unknown>(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** https://docs.claude.com/en/docs/build-with-claude/vision */
function imageViolations({ type, media_type, data, url, file_id }: Fields, where: string): string[] {
  if (type === 'url')
    return /^https?:\/\/./.test(String(url)) ? [] : [`${where} has an image without an address`];
  if (type === 'file') return isBlank(file_id) ? [`${where} has an image of no file`] : [];
  if (type !== 'base64') return [`${where} has an image from "${type}"`];
  return [
    ...(imageTypes.has(media_type) ? [] : [`${where} has an image of type ${media_type}`]),
    ...(isBase64(data) ? [] : [`${where} has an image that is no base64`]),
  ];
}

/** https://docs.claude.com/en/docs/build-with-claude/pdf-support */
function documentViolations(
  { type, media_type, data, url, file_id, content }: Fields,
  where: string,
): string[] {
  if (type === 'url')
    return /^https?:\/\/./.test(String(url)) ? [] : [`${where} has a document without an address`];
  if (type === 'file') return isBlank(file_id) ? [`${where} has a document of no file`] : [];
  if (type === 'content') return content ? [] : [`${where} has a document of nothing`];
  if (type === 'text')
    return media_type === 'text/plain' && !isBlank(data) ? [] : [`${where} has a document of no text`];
  if (type !== 'base64') return [`${where} has a document from "${type}"`];
  return media_type === 'application/pdf' && isBase64(data) ? [] : [`${where} has a document that is no PDF`];
}

/**
 * "Each `tool_use` block must have a corresponding `tool_result` block in the next message", and results come first:
 * https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use#handling-tool-use-and-tool-result-content-blocks
 */
function resultViolations(i: number, all: Message[]): string[] {
  const where = `message ${i} (user)`;
  const content = all[i]?.content ?? [];
  const results = content.filter(({ type }) => type === 'tool_result');
  const asked = callIds(all[i - 1]);
  const answered = results.map((result) => result.tool_use_id);
  const allowed = [...shown, 'tool_result', 'container_upload'];
  const wrong = content
    .filter(({ type }) => !allowed.includes(String(type)))
    .map(({ type }) => `${where} has a ${type} block`);
  if (answered.toSorted().join() !== asked.toSorted().join())
    wrong.push(`${where} answers [${answered}] where [${asked}] was asked`);
  if (content.slice(0, results.length).some(({ type }) => type !== 'tool_result'))
    wrong.push(`${where} has words before its results`);
  for (const { content: said, is_error } of results) wrong.push(...saidViolations(said, is_error, where));
  return wrong;
}

/** "content cannot be empty if is_error is true" */
function saidViolations(said: unknown, isError: unknown, where: string): string[] {
  if (isError && blocksOf(said ?? '').every(({ type, text }) => type === 'text' && isBlank(text)))
    return [`${where} has an error that says nothing`];
  if (said === undefined || typeof said === 'string') return [];
  if (!Array.isArray(said)) return [`${where} has a result that is nothing to read`];
  return listOf(said).flatMap((block) => [
    ...([...shown, 'tool_reference'].includes(String(block.type))
      ? []
      : [`${where} has a result with a ${block.type} block`]),
    ...blockViolations(block, `${where}: result`),
  ]);
}

function answerViolations(i: number, all: Message[], resumes: boolean): string[] {
  const where = `message ${i} (assistant)`;
  const content = all[i]?.content ?? [];
  const last = content.at(-1);
  const isLast = i === all.length - 1;
  const wrong: string[] = [];
  if (callIds(all[i]).length > 0 && !all[i + 1]) wrong.push(`${where} has calls without results`);
  // "The final block in an assistant message cannot be `thinking`."
  if (thoughts.has(last?.type) && !(resumes && isLast)) wrong.push(`${where} ends in a thought`);
  // "final assistant content cannot end with trailing whitespace"
  if (isLast && last?.type === 'text' && last.text !== String(last.text).trimEnd())
    wrong.push(`${where} ends in white space`);
  for (const { type, input, name: called, thinking, signature, data } of content) {
    if (type === 'tool_use' && !isObject(input)) wrong.push(`${where} has a call whose input is no object`);
    if (type === 'tool_use' && !functionName.test(String(called))) wrong.push(`${where} calls "${called}"`);
    if (type === 'thinking' && (typeof thinking !== 'string' || isBlank(signature)))
      wrong.push(`${where} has a thought without signature`);
    if (type === 'redacted_thinking' && isBlank(data)) wrong.push(`${where} has an empty encrypted thought`);
    if (['tool_result', 'image', 'document'].includes(String(type)))
      wrong.push(`${where} has a ${type} block`);
  }
  return wrong;
}

/**
 * Thoughts are part of `max_tokens`; with a budget, an answer whose results are sent must begin with one; none may be
 * changed: https://docs.claude.com/en/docs/build-with-claude/extended-thinking
 */
function thinkingViolations(body: Fields, all: Message[], signed: ReadonlySet<string> | null): string[] {
  const { thinking, max_tokens: maxTokens, tool_choice: choice } = body;
  const changed = all
    .flatMap(({ content }) => content)
    .filter((block) => thoughts.has(block.type) && signed !== null && !signed.has(JSON.stringify(block)))
    .map(() => 'a thought is not as it was given');
  if (!isObject(thinking) || thinking.type === 'disabled') return changed;
  const forced = ['any', 'tool'].includes(String(fieldsOf(choice).type))
    ? ['thoughts before a call that is forced']
    : [];
  if (thinking.type === 'adaptive') return [...changed, ...forced];
  if (thinking.type !== 'enabled') return [...changed, `thinking is "${thinking.type}"`];
  const { budget_tokens: budget } = thinking;
  const hasResults = all.at(-1)?.content.some(({ type }) => type === 'tool_result') === true;
  const begins = thoughts.has(all.at(-2)?.content[0]?.type);
  return [
    ...changed,
    ...forced,
    ...(Number(budget) >= 1_024 && Number(budget) < Number(maxTokens)
      ? []
      : [`a budget of ${budget} tokens`]),
    ...(hasResults && !begins ? ['thoughts about the results of a call without one'] : []),
  ];
}

function callIds(message: Message | undefined): unknown[] {
  if (message?.role !== 'assistant') return [];
  return message.content.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
}

/** "String should match pattern '^[a-zA-Z0-9_-]+$'"; "`tool_use` ids must be unique". Bedrock takes 64 characters. */
function idViolations(all: Message[]): string[] {
  const ids = all.flatMap(callIds).map(String);
  return [
    ...ids.filter((id) => !/^[a-zA-Z0-9_-]{1,64}$/.test(id)).map((id) => `id "${id}" is not valid`),
    ...repeated(ids).map((id) => `id ${id} repeats`),
  ];
}

/**
 * A server's call and its result may be parted by calls of ours, which the server waits for:
 * https://docs.claude.com/en/docs/agents-and-tools/tool-use/web-search-tool
 */
function serverCallViolations(all: Message[], resumes: boolean): string[] {
  const blocks = all.flatMap(({ content }) => content);
  const isCall = ({ type }: Block) => type === 'server_tool_use' || type === 'mcp_tool_use';
  const asked = blocks.filter(isCall).map(({ id }) => id);
  const isResult = ({ type, tool_use_id }: Block) => type !== 'tool_result' && tool_use_id !== undefined;
  const answered = blocks.filter(isResult).map((block) => block.tool_use_id);
  const early = blocks.filter(
    (block, i) =>
      isResult(block) && blocks.slice(i).some((later) => isCall(later) && later.id === block.tool_use_id),
  );
  const last = all.findLast(({ role }) => role === 'assistant');
  const isAwaited = callIds(last).length > 0 || resumes;
  const waits = isAwaited ? (last?.content.filter(isCall) ?? []).map(({ id }) => id) : [];
  const servers = blocks.filter(({ type }) => type === 'server_tool_use').map(({ id }) => String(id));
  return [
    ...servers.filter((id) => !/^srvtoolu_\w+$/.test(id)).map((id) => `"${id}" names no call of the server`),
    ...repeated(asked).map((id) => `call ${id} of the server repeats`),
    ...repeated(answered).map((id) => `result ${id} of the server repeats`),
    ...early.map((block) => `result ${block.tool_use_id} of the server comes before its call`),
    ...asked
      .filter((id) => !answered.includes(id) && !waits.includes(id))
      .map((id) => `call ${id} of the server has no result`),
    ...answered.filter((id) => !asked.includes(id)).map((id) => `result ${id} of the server has no call`),
  ];
}

/** "tools: Tool names must be unique."; a tool with a type of its own is the server's, and has no schema. */
function toolViolations(tools: Block[], { tools: given }: Fields): string[] {
  const name = /^[a-zA-Z0-9_-]{1,128}$/;
  return [
    ...(Array.isArray(given) && tools.length === 0 ? ['an empty list of tools'] : []),
    ...repeated(tools.map((tool) => tool.name)).map((twice) => `two tools ${twice}`),
    ...tools.flatMap((tool) => {
      const wrong = name.test(String(tool.name)) ? [] : [`tool "${tool.name}" has no valid name`];
      if (tool.type !== undefined && tool.type !== 'custom') return wrong;
      const schema = isObject(tool.input_schema) ? tool.input_schema : {};
      const combined = ['oneOf', 'anyOf', 'allOf'].filter((word) => word in schema);
      return [
        ...wrong,
        ...(schema.type === 'object' ? [] : [`tool ${tool.name} takes no object`]),
        // "input_schema does not support oneOf, allOf, or anyOf at the top level"
        ...combined.map((word) => `tool ${tool.name} has ${word} at the top of its schema`),
        ...(tool.description === '' ? [`tool ${tool.name} has an empty description`] : []),
      ];
    }),
  ];
}

/** https://docs.claude.com/en/docs/build-with-claude/prompt-caching: four marks, longer lives first. */
function cacheViolations(blocks: Block[]): string[] {
  const marked = blocks.filter((block) => isObject(block.cache_control));
  const lives = marked.map((block) => fieldsOf(block.cache_control));
  const firstShort = lives.findIndex(({ ttl }) => ttl !== '1h');
  return [
    ...(marked.length > 4 ? [`${marked.length} cache marks`] : []),
    ...lives.flatMap(({ type, ttl = '5m' }) =>
      type === 'ephemeral' && (ttl === '5m' || ttl === '1h') ? [] : [`a cache mark "${type} ${ttl}"`],
    ),
    ...(firstShort >= 0 && lives.slice(firstShort).some(({ ttl }) => ttl === '1h')
      ? ['a long life after a short one']
      : []),
    ...marked.filter(({ type }) => thoughts.has(type)).map(() => 'a thought is marked for the cache'),
  ];
}

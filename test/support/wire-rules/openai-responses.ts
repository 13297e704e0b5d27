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
 * What a server of the Responses wire refuses a request for, checked strictly: answers what is wrong, in words. Empty for
 * a valid one.
 *
 * @param kept what the server holds of the response that the request begins after, output included; null when it holds
 *   none
 * @see https://platform.openai.com/docs/api-reference/responses/create
 */
export function responsesViolations(body: Fields, kept: readonly Fields[] | null = null): string[] {
  const items = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : listOf(body.input);
  const previous = body.previous_response_id;
  return [
    ...illFormed(body),
    ...settingViolations(body),
    ...toolViolations(body),
    ...(items.length > 0 ? [] : ['no input']),
    // "Previous response with id 'resp_…' not found."
    ...(previous !== undefined && !kept ? [`no response ${previous} is kept`] : []),
    ...items.flatMap((item, i) => itemViolations(item, `item ${i}`, body)),
    ...reasoningViolations(items),
    ...callViolations([...(kept ?? []), ...items], kept?.length ?? 0),
    // "Duplicate item found with id rs_…. Remove duplicate items from your input and try again."
    ...repeated(
      [...(kept ?? []), ...items].map(({ id }) => id).filter((id) => id !== undefined && id !== null),
    ).map((id) => `item "${id}" comes twice`),
    ...lastViolations(items),
  ];
}

/** https://platform.openai.com/docs/api-reference/responses/create: "Unknown parameter" for any other. */
const settings = new Set(
  `access_programs background context_management conversation image include input instructions max_output_tokens
  max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt prompt_cache_key
  prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options
  temperature text tool_choice tools top_logprobs top_p truncation user`.split(/\s+/),
);

/** https://platform.openai.com/docs/api-reference/responses/create#responses-create-text */
function formatViolations(format: unknown): string[] {
  if (format === undefined) return [];
  const { type, ...rest } = fieldsOf(format);
  if (type === 'json_schema') return outputSchemaViolations(rest, 'text.format');
  return type === 'text' || type === 'json_object' ? [] : [`text.format is of type ${type}`];
}

const includable = new Set<unknown>([
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
]);

function settingViolations(body: Fields): string[] {
  const { model, include, stream, store, previous_response_id: previous, conversation } = body;
  const most = body.max_output_tokens;
  return [
    ...unknownFields(body, settings, 'the body'),
    ...formatViolations(fieldsOf(body.text).format),
    ...(isBlank(model) ? ['no model'] : []),
    ...(stream === undefined || typeof stream === 'boolean' ? [] : ['stream is no boolean']),
    ...(store === undefined || typeof store === 'boolean' ? [] : ['store is no boolean']),
    ...[include ?? []]
      .flat()
      .flatMap((word) => (includable.has(word) ? [] : [`nothing to include is ${word}`])),
    // "Mutually exclusive parameters"
    ...(previous !== undefined && conversation !== undefined
      ? ['a conversation and a previous response']
      : []),
    ...(previous === undefined || /^resp_./.test(String(previous))
      ? []
      : [`"${previous}" names no response`]),
    // "Expected a value >= 16"
    ...(most === undefined || (Number.isInteger(most) && Number(most) >= 16)
      ? []
      : [`at most ${most} tokens`]),
  ];
}

/** https://platform.openai.com/docs/guides/function-calling: names as in chat; strict schemas are closed. */
function toolViolations({ tools, tool_choice: choice }: Fields): string[] {
  if (tools === undefined)
    return choice === undefined || choice === 'auto' ? [] : ['tool_choice without tools'];
  const functions = listOf(tools).filter(({ type }) => type === 'function');
  return [
    ...(listOf(tools).length > 128 ? ['more than 128 tools'] : []),
    ...listOf(tools).flatMap(({ type }) => (isBlank(type) ? ['a tool of no type'] : [])),
    ...repeated(functions.map(({ name }) => name)).map((name) => `two tools ${name}`),
    ...functions.flatMap(({ name, parameters, strict, function: nested }) => {
      const where = `tool "${name}"`;
      return [
        // The form of the chat wire: "Missing required parameter: 'tools[0].name'."
        ...(nested === undefined ? [] : [`${where} is in the form of the chat wire`]),
        ...(functionName.test(String(name)) ? [] : [`${where} has no valid name`]),
        ...(fieldsOf(parameters).type === 'object' ? [] : [`${where} takes no object`]),
        ...(strict === true && !isStrictSchema(parameters) ? [`${where} is strict and open`] : []),
      ];
    }),
  ];
}

/** The ids that the server gives to items of a type begin alike: "Expected an ID that begins with 'fc'." */
const idStarts: Readonly<Record<string, string>> = {
  message: 'msg',
  function_call: 'fc',
  reasoning: 'rs',
  web_search_call: 'ws',
  file_search_call: 'fs',
  code_interpreter_call: 'ci',
  custom_tool_call: 'ctc',
  mcp_call: 'mcp',
};

const itemFields: Readonly<Record<string, ReadonlySet<string>>> = {
  message: new Set(['type', 'role', 'content', 'phase', 'id', 'status']),
  function_call: new Set([
    'type',
    'id',
    'call_id',
    'name',
    'namespace',
    'arguments',
    'status',
    'caller',
    'async',
  ]),
  function_call_output: new Set(['type', 'id', 'call_id', 'output', 'status', 'caller', 'name', 'namespace']),
  reasoning: new Set(['type', 'id', 'summary', 'content', 'encrypted_content', 'status']),
};

function typeOf({ type, role }: Fields): string {
  return typeof type === 'string' ? type : role === undefined ? '' : 'message';
}

function itemViolations(item: Fields, at: string, { store }: Fields): string[] {
  const type = typeOf(item);
  const where = `${at} (${type})`;
  if (type === '') return [`${at} is of no type`];
  const fields = itemFields[type];
  const start = idStarts[type];
  const wrong = fields ? unknownFields(item, fields, where) : [];
  if (start && item.id !== undefined && !String(item.id).startsWith(start))
    wrong.push(`${where} has the id ${item.id}`);
  // "Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item."
  if (type === 'item_reference' && store === false) wrong.push(`${where} refers to what is not kept`);
  if (type === 'message') wrong.push(...messageViolations(item, where));
  if (type === 'function_call') {
    if (!functionName.test(String(item.name))) wrong.push(`${where} calls "${item.name}"`);
    if (!isJsonObject(item.arguments)) wrong.push(`${where} has arguments that are no object`);
  }
  if (type === 'function_call_output') wrong.push(...outputViolations(item.output, where));
  if (type === 'reasoning') {
    // "Missing required parameter: 'input[1].summary'."
    if (!Array.isArray(item.summary)) wrong.push(`${where} has no summary`);
    const hasContent = listOf(item.content).length > 0 || !isBlank(item.encrypted_content);
    if (store === false && !hasContent) wrong.push(`${where} is but a name, and nothing is kept`);
  }
  return wrong;
}

/** https://platform.openai.com/docs/guides/images-vision, /docs/guides/pdf-files */
function messageViolations({ role, content, phase }: Fields, where: string): string[] {
  const isAnswer = role === 'assistant';
  if (!['user', 'assistant', 'system', 'developer'].includes(String(role))) return [`${where} is of ${role}`];
  const wrong = phase !== undefined && !isAnswer ? [`${where} has a phase`] : [];
  if (typeof content === 'string')
    return isAnswer && content === '' ? [...wrong, `${where} says nothing`] : wrong;
  if (listOf(content).length === 0) return [...wrong, `${where} has no content`];
  const known = isAnswer ? ['output_text', 'refusal'] : ['input_text', 'input_image', 'input_file'];
  for (const part of listOf(content)) {
    if (!known.includes(String(part.type))) wrong.push(`${where} has a part of type ${part.type}`);
    else wrong.push(...partViolations(part, where));
  }
  return wrong;
}

function partViolations(part: Fields, where: string): string[] {
  if (part.type === 'input_image')
    return part.file_id || isImageAddress(part.image_url) ? [] : [`${where} has an image without an address`];
  if (part.type === 'input_file') {
    const hasData = !isBlank(part.filename) && isFileData(part.file_data);
    return part.file_id || part.file_url || hasData ? [] : [`${where} has a file without data`];
  }
  return part.text !== '' || part.type === 'refusal' ? [] : [`${where} has an empty part`];
}

/** https://platform.openai.com/docs/guides/function-calling#formatting-results: a string, or parts that are shown. */
function outputViolations(output: unknown, where: string): string[] {
  if (typeof output === 'string') return [];
  if (listOf(output).length === 0) return [`${where} has no output`];
  return listOf(output).flatMap((part) => {
    if (['input_text', 'input_image', 'input_file'].includes(String(part.type)))
      return partViolations(part, where);
    return [`${where} has a part of type ${part.type}`];
  });
}

/**
 * "Item 'rs_…' of type 'reasoning' was provided without its required following item.": what it led to stands directly
 * behind it. https://platform.openai.com/docs/guides/reasoning#keeping-reasoning-items-in-context
 */
function reasoningViolations(items: readonly Fields[]): string[] {
  return items.flatMap((item, i) => {
    const next = items[i + 1];
    if (typeOf(item) !== 'reasoning' || (next && isAnswer(next))) return [];
    return [`item ${i} (reasoning) led to nothing`];
  });
}

function isAnswer(item: Fields): boolean {
  const type = typeOf(item);
  return type === 'message' ? item.role === 'assistant' : !type.endsWith('_output');
}

/**
 * "No tool output found for function call call_…." and "No tool call found for function call output with call_id
 * call_….", for functions, custom tools, computers and shells alike; ids have 64 characters at most.
 */
function callViolations(items: readonly Fields[], sent: number): string[] {
  const wrong: string[] = [];
  const open = new Map<unknown, string>();
  const seen = new Set<unknown>();
  for (const [i, item] of items.entries()) {
    const type = typeOf(item);
    const id = item.call_id;
    const where = `item ${i - sent} (${type})`;
    if (id === undefined || !/_(call|output)$/.test(type)) continue;
    if (typeof id !== 'string' || id === '' || id.length > 64) wrong.push(`${where} has the call_id "${id}"`);
    if (type.endsWith('_output')) {
      if (open.get(id) === type.replace(/_output$/, '').replace('tool_search', 'tool_search_call'))
        open.delete(id);
      else wrong.push(`${where} answers no call: ${id}`);
    } else if (type !== 'function_call' && item.status === 'completed' && !awaited.has(type)) {
      // Run by the server itself, which has its output.
    } else {
      if (seen.has(id)) wrong.push(`${where} repeats the call_id ${id}`);
      seen.add(id);
      open.set(id, type);
    }
  }
  for (const [id, type] of open) wrong.push(`no output for ${type} ${id}`);
  return wrong;
}

/** Types of calls whose output the client owes. */
const awaited = new Set([
  'custom_tool_call',
  'computer_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
  'tool_search_call',
]);

/** What ends in an answer asks for nothing. */
function lastViolations(items: readonly Fields[]): string[] {
  const last = items.at(-1);
  return last && isAnswer(last) && typeOf(last) === 'message' ? ['the last item is an answer'] : [];
}

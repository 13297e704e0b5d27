import { isObject } from '../../../src/protocol/json.ts';

type Block = Record<string, unknown>;
type Message = { role: string; content: Block[] };

const topLevel = new Set(['model', 'max_tokens', 'thinking', 'system', 'tools', 'messages', 'stream']);
const name = /^[a-zA-Z0-9_-]{1,128}$/;

/**
 * What the messages API refuses a request for, checked strictly: answers what is wrong, in words. Empty for a valid one.
 *
 * @see https://docs.claude.com/en/api/messages
 */
export function requestViolations(body: Record<string, unknown>): string[] {
  const { messages, system = [], tools = [] } = body as { [part: string]: unknown[] };
  const all = (messages ?? []) as Message[];
  return [
    ...Object.keys(body).flatMap((field) => (topLevel.has(field) ? [] : [`unknown field ${field}`])),
    ...(Number.isInteger(body.max_tokens) && Number(body.max_tokens) > 0 ? [] : ['no max_tokens']),
    ...(typeof body.model === 'string' && body.model !== '' ? [] : ['no model']),
    ...(all[0]?.role === 'user' ? [] : ['the first message is not of the user']),
    ...(all.at(-1)?.role === 'user' ? [] : ['the last message is not of the user']),
    ...(system as Block[]).flatMap((block) => textViolations(block, 'system')),
    ...toolViolations(tools as Block[]),
    ...all.flatMap((message, i) => messageViolations(message, i, all)),
    ...thinkingViolations(body, all),
    ...idViolations(all),
    ...serverCallViolations(all),
    ...cacheViolations([system, tools, ...all.map(({ content }) => content)].flat() as Block[]),
  ];
}

function messageViolations({ role, content }: Message, i: number, all: Message[]): string[] {
  const where = `message ${i} (${role})`;
  const wrong: string[] = [];
  if (role === all[i - 1]?.role) wrong.push(`${where} follows one of the same role`);
  if (!Array.isArray(content) || content.length === 0) return [...wrong, `${where} is empty`];
  for (const block of content) wrong.push(...textViolations(block, where));
  return [...wrong, ...(role === 'user' ? resultViolations(i, all) : answerViolations(i, all))];
}

function textViolations({ type, text }: Block, where: string): string[] {
  if (type !== 'text') return [];
  if (typeof text !== 'string' || text.trim() === '') return [`${where} has a blank text`];
  return text.isWellFormed() ? [] : [`${where} has half a surrogate pair`];
}

function resultViolations(i: number, all: Message[]): string[] {
  const where = `message ${i} (user)`;
  const content = all[i]?.content ?? [];
  const results = content.filter(({ type }) => type === 'tool_result');
  const asked = callIds(all[i - 1]);
  const answered = results.map((result) => result.tool_use_id);
  const wrong = content
    .filter(({ type }) => type !== 'text' && type !== 'tool_result')
    .map(({ type }) => `${where} has a ${type} block`);
  if (answered.join() !== asked.join())
    wrong.push(`${where} answers [${answered}] where [${asked}] was asked`);
  if (content.slice(0, results.length).some(({ type }) => type !== 'tool_result'))
    wrong.push(`${where} has words before its results`);
  for (const { content: said, is_error } of results) {
    if (said !== undefined && (typeof said !== 'string' || !said.isWellFormed()))
      wrong.push(`${where} has a result that is no text`);
    if (is_error && !said) wrong.push(`${where} has an error that says nothing`);
  }
  return wrong;
}

const thoughts = new Set<unknown>(['thinking', 'redacted_thinking']);

function answerViolations(i: number, all: Message[]): string[] {
  const where = `message ${i} (assistant)`;
  const content = all[i]?.content ?? [];
  const wrong: string[] = [];
  if (callIds(all[i]).length > 0 && !all[i + 1]) wrong.push(`${where} has calls without results`);
  if (thoughts.has(content.at(-1)?.type)) wrong.push(`${where} ends in a thought`);
  for (const { type, input, name: called, thinking, signature, data } of content) {
    if (type === 'tool_use' && !isObject(input)) wrong.push(`${where} has a call whose input is no object`);
    if (type === 'tool_use' && !name.test(String(called))) wrong.push(`${where} calls "${called}"`);
    if (type === 'thinking' && (typeof thinking !== 'string' || !signature))
      wrong.push(`${where} has a thought without signature`);
    if (type === 'redacted_thinking' && !data) wrong.push(`${where} has an empty encrypted thought`);
    if (type === 'tool_result') wrong.push(`${where} has a result`);
  }
  return wrong;
}

/** With a budget, an answer whose results are sent must begin with a thought. */
function thinkingViolations(
  { thinking, max_tokens: maxTokens }: Record<string, unknown>,
  all: Message[],
): string[] {
  if (!isObject(thinking) || thinking.type !== 'enabled') return [];
  const { budget_tokens: budget } = thinking;
  const hasResults = all.at(-1)?.content.some(({ type }) => type === 'tool_result') === true;
  const begins = thoughts.has(all.at(-2)?.content[0]?.type);
  return [
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

function idViolations(all: Message[]): string[] {
  const ids = all.flatMap(callIds).map(String);
  const wrong = ids.filter((id) => !/^[a-zA-Z0-9_-]{1,64}$/.test(id)).map((id) => `id "${id}" is not valid`);
  return new Set(ids).size === ids.length ? wrong : [...wrong, `ids repeat: ${ids.join()}`];
}

/** A server's call and its result may be parted by calls of ours, which the server waits for. */
function serverCallViolations(all: Message[]): string[] {
  const blocks = all.flatMap(({ content }) => content);
  const isCall = ({ type }: Block) => type === 'server_tool_use' || type === 'mcp_tool_use';
  const asked = blocks.filter(isCall).map(({ id }) => id);
  const answered = blocks.filter(({ type }) => type !== 'tool_result').map((block) => block.tool_use_id);
  const last = all.findLast(({ role }) => role === 'assistant');
  const waits = callIds(last).length > 0 ? (last?.content.filter(isCall) ?? []).map(({ id }) => id) : [];
  return [
    ...asked
      .filter((id) => !answered.includes(id) && !waits.includes(id))
      .map((id) => `call ${id} of the server has no result`),
    ...answered
      .filter((id) => id !== undefined && !asked.includes(id))
      .map((id) => `result ${id} of the server has no call`),
  ];
}

function toolViolations(tools: Block[]): string[] {
  return tools.flatMap((tool) => {
    const schema = isObject(tool.input_schema) ? tool.input_schema : {};
    const combined = ['oneOf', 'anyOf', 'allOf'].filter((word) => word in schema);
    return [
      ...(name.test(String(tool.name)) ? [] : [`tool "${tool.name}" has no valid name`]),
      ...(schema.type === 'object' ? [] : [`tool ${tool.name} takes no object`]),
      ...combined.map((word) => `tool ${tool.name} has ${word} at the top of its schema`),
    ];
  });
}

function cacheViolations(blocks: Block[]): string[] {
  const marked = blocks.filter((block) => 'cache_control' in block);
  return [
    ...(marked.length > 4 ? [`${marked.length} cache marks`] : []),
    ...marked.filter(({ type }) => thoughts.has(type)).map(() => 'a thought is marked for the cache'),
  ];
}

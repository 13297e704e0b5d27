import { createDemoModel } from '../../../src/models/demo/index.ts';
import type { ModelAnswer, ModelDelta } from '../../../src/protocol/content.ts';
import type {
  ChatModel,
  ModelRequest,
  PromptMessage,
  ToolSpec,
} from '../../../src/protocol/ports/chat-model.ts';

const everyTool = [
  'calculator',
  'datetime',
  'edit_file',
  'list_files',
  'memory_search',
  'memory_write',
  'read_file',
  'unit_convert',
  'write_file',
];

export function toolSpecs(names: readonly string[] = everyTool): ToolSpec[] {
  return names.map((name) => ({ name, description: name, parameters: { type: 'object' } }));
}

export function user(text: string): PromptMessage {
  return { role: 'user', text };
}

export function assistant(text: string): PromptMessage {
  return { role: 'assistant', text, reasoning: '', toolCalls: [] };
}

/** Asks the demo, with every tool offered unless told otherwise. */
export async function ask(
  messages: readonly PromptMessage[],
  options: { tools?: readonly string[]; model?: ChatModel; onDelta?: (delta: ModelDelta) => void } = {},
): Promise<ModelAnswer> {
  const request: ModelRequest = { model: 'demo', messages, tools: toolSpecs(options.tools) };
  const model = options.model ?? createDemoModel({ pieceDelayMs: 0 });
  return model.generate(request, {
    signal: new AbortController().signal,
    idempotencyKey: 'run:1',
    onDelta: options.onDelta ?? (() => {}),
  });
}

/** The calls that a first message leads to, as [tool, arguments] pairs. */
export async function callsFor(text: string): Promise<Array<[string, unknown]>> {
  const { toolCalls } = await ask([user(text)]);
  return toolCalls.map(({ name, arguments: json }) => [name, JSON.parse(json)]);
}

/** What a fake tool says to a call; `{ error }` is a failure. */
type FakeTool = (args: Record<string, unknown>) => string | { error: string };

/**
 * Plays a conversation with fake tools until the demo answers in text, as the runtime would.
 *
 * @throws Error after five rounds: the demo must never loop.
 */
export async function converse(
  history: readonly PromptMessage[],
  tools: Readonly<Record<string, FakeTool>>,
): Promise<{ messages: PromptMessage[]; answer: ModelAnswer; rounds: number }> {
  const messages = [...history];
  for (let rounds = 0; rounds < 5; rounds++) {
    const answer = await ask(messages);
    const { text, toolCalls } = answer;
    messages.push({ role: 'assistant', text, reasoning: '', toolCalls });
    if (toolCalls.length === 0) return { messages, answer, rounds };
    messages.push(...toolCalls.map((call) => resultOf(call, tools)));
  }
  throw new Error('the demo loops');
}

function resultOf(
  { id, name, arguments: json }: ModelAnswer['toolCalls'][number],
  tools: Readonly<Record<string, FakeTool>>,
): PromptMessage {
  const said = tools[name]?.(JSON.parse(json)) ?? { error: `no fake for ${name}` };
  const isError = typeof said !== 'string';
  return { role: 'tool', toolCallId: id, name, text: isError ? said.error : said, isError };
}

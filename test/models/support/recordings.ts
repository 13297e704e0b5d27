import { globSync, readFileSync } from 'node:fs';
import type { ModelAnswer, ModelDelta } from '../../../src/protocol/content.ts';

const root = new URL('../../fixtures/', import.meta.url);

export function fixture<T>(path: string): T {
  return JSON.parse(readFileSync(new URL(path, root), 'utf8')) as T;
}

interface ExpectedCall {
  id: string;
  name: string;
  arguments: string;
}

/** Of chat completions and Responses, whose input holds what came from the cache. */
interface ExpectedUsage {
  input: number | null;
  output: number | null;
  reasoning: number | null;
  cached: number | null;
}

/** Of messages, which count what came from the cache, and what went into it, beside the input. */
interface ExpectedMessagesUsage {
  input: number;
  output: number;
  cacheRead: number | null;
  cacheWrite: number | null;
}

export type Wire = 'openai-chat' | 'openai-responses' | 'anthropic-messages';

export const wires: readonly Wire[] = ['openai-chat', 'openai-responses', 'anthropic-messages'];

interface Expected<Usage> {
  text: string;
  reasoning: string;
  /** Not on the messages wire, where a refusal is text. */
  refusal?: string;
  toolCalls: ExpectedCall[];
  finishReason: string | null;
  usage: Usage;
  model: string;
  error: { message: string } | null;
}

/** What later requests send back, on the messages wire. */
interface ExpectedBlocks {
  blocks: string[];
  signatures: string[];
  redactedThinking: string[];
}

interface RecordingFile<W, E> {
  id: string;
  provider: string;
  wire: W;
  /** A recording that is not breaks the rules of its wire. */
  strict: boolean;
  features: string[];
  /** What the provider's own SDK makes of it: `agrees`, `differs:…`, `throws:…`. */
  officialSdk: string;
  expected: E;
}

type OpenAIRecording = RecordingFile<'openai-chat' | 'openai-responses', Expected<ExpectedUsage | null>> & {
  bytes: Uint8Array;
};
export type MessagesRecording = RecordingFile<
  'anthropic-messages',
  Expected<ExpectedMessagesUsage> & ExpectedBlocks
> & { bytes: Uint8Array };
export type Recording = OpenAIRecording | MessagesRecording;

/**
 * Every recording below a folder, in the order of their names.
 *
 * @param folder holds a folder for each provider; default: `test/fixtures/streams`
 */
export function allRecordings(folder: URL = new URL('streams/', root)): Recording[] {
  return globSync('*/*.expected.json', { cwd: folder })
    .sort()
    .map((path) => {
      const file = JSON.parse(readFileSync(new URL(path, folder), 'utf8')) as Recording;
      const bytes = readFileSync(new URL(path.replace('.expected.json', '.sse'), folder));
      return { ...file, bytes };
    });
}

/** Every strict recording of one of OpenAI's wires. */
export function recordings(wire: OpenAIRecording['wire'] = 'openai-chat'): OpenAIRecording[] {
  return allRecordings().filter((one): one is OpenAIRecording => one.wire === wire && one.strict);
}

/** Every recording of the messages wire, those that break its rules among them. */
export function messagesRecordings(): MessagesRecording[] {
  return allRecordings().filter((one): one is MessagesRecording => one.wire === 'anthropic-messages');
}

/** What a recording must come to, in the shape of {@link facts}; what it says nothing of is left out. */
export function expectedFacts({ wire, expected }: Recording) {
  const { text, reasoning, refusal = '', toolCalls, finishReason, model } = expected;
  return {
    text,
    reasoning,
    refusal,
    toolCalls: toolCalls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
    finishReason,
    usage: wire === 'anthropic-messages' ? messagesUsage(expected.usage) : openAIUsage(expected.usage),
    model,
  };
}

function openAIUsage(usage: ExpectedUsage | ExpectedMessagesUsage | null) {
  if (usage === null || !('cached' in usage)) return null;
  return {
    inputTokens: usage.input ?? 0,
    outputTokens: usage.output ?? 0,
    cachedInputTokens: usage.cached ?? 0,
    reasoningTokens: usage.reasoning ?? 0,
  };
}

function messagesUsage(usage: ExpectedUsage | ExpectedMessagesUsage | null) {
  if (usage === null || !('cacheRead' in usage)) return null;
  const { input, output, cacheRead, cacheWrite } = usage;
  return {
    inputTokens: input + (cacheRead ?? 0) + (cacheWrite ?? 0),
    outputTokens: output,
    cachedInputTokens: cacheRead ?? 0,
  };
}

export function facts(answer: ModelAnswer) {
  const { text, reasoning, refusal, toolCalls, finishReason, usage, model } = answer;
  return { text, reasoning, refusal, toolCalls, finishReason, usage, model };
}

/** The deltas put together; they must come to the same as the answer. */
export function sumOf(deltas: readonly ModelDelta[]) {
  const sum = { text: '', reasoning: '', refusal: '', toolCalls: [] as ExpectedCall[] };
  for (const delta of deltas) {
    if (delta.type !== 'toolCall') {
      sum[delta.type] += delta.text;
      continue;
    }
    const { index, id, name, argumentsDelta } = delta;
    sum.toolCalls[index] = { id, name, arguments: (sum.toolCalls[index]?.arguments ?? '') + argumentsDelta };
  }
  return sum;
}

/** The blocks of an answer of the messages wire that later requests send back. */
export function rememberedBlocks({ providerData }: ModelAnswer): Record<string, unknown>[] | null {
  return (providerData?.anthropic_content as Record<string, unknown>[] | undefined) ?? null;
}

interface RecordedError {
  url: string;
  status: number;
  headers: Record<string, string>;
  body: { error: { message: string } };
  expect: { kind: string; retryable: boolean };
}

/** What servers answered that refused a request. */
export const httpErrors = () => fixture<RecordedError[]>('streams/http-errors.json');

import { globSync, readFileSync } from 'node:fs';
import type { ModelAnswer, ModelDelta } from '../../../src/protocol/answer.ts';

const root = new URL('../../fixtures/', import.meta.url);

export function fixture<T>(path: string): T {
  return JSON.parse(readFileSync(new URL(path, root), 'utf8')) as T;
}

interface ExpectedCall {
  id: string;
  name: string;
  arguments: string;
}

interface ExpectedUsage {
  input: number | null;
  output: number | null;
  reasoning: number | null;
  cached: number | null;
}

export interface Recording {
  id: string;
  bytes: Uint8Array;
  expected: {
    text: string;
    reasoning: string;
    refusal: string;
    toolCalls: ExpectedCall[];
    finishReason: string | null;
    usage: ExpectedUsage | null;
    model: string;
    error: { message: string } | null;
  };
}

interface RecordingFile extends Omit<Recording, 'bytes'> {
  wire: string;
  strict: boolean;
}

/** Every strict recording of a wire in `test/fixtures/streams`. */
export function recordings(wire = 'openai-chat'): Recording[] {
  const files = globSync('streams/*/*.expected.json', { cwd: root }).sort();
  return files
    .map((path) => ({ ...fixture<RecordingFile>(path), path }))
    .filter((file) => file.wire === wire && file.strict)
    .map(({ id, expected, path }) => {
      return { id, expected, bytes: readFileSync(new URL(path.replace('.expected.json', '.sse'), root)) };
    });
}

/** What a recording must come to, in the shape of {@link facts}. */
export function expectedFacts({ expected }: Recording) {
  const { text, reasoning, refusal, toolCalls, finishReason, usage, model } = expected;
  return {
    text,
    reasoning,
    refusal,
    toolCalls: toolCalls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
    finishReason,
    usage: usage && {
      inputTokens: usage.input ?? 0,
      outputTokens: usage.output ?? 0,
      cachedInputTokens: usage.cached ?? 0,
      reasoningTokens: usage.reasoning ?? 0,
    },
    model,
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

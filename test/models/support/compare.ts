import { isDeepStrictEqual } from 'node:util';
import type { Outcome } from './generate.ts';
import {
  expectedFacts,
  facts,
  type MessagesRecording,
  type Recording,
  rememberedBlocks,
  sumOf,
} from './recordings.ts';

/** Something that an answer has otherwise than its recording. */
export interface Difference {
  field: string;
  expected: unknown;
  got: unknown;
}

/** Where an answer, or the deltas that led to it, is not what the recording holds; empty when it is. */
export function differencesOf(recording: Recording, { answer, deltas }: Outcome): Difference[] {
  if (!recording.strict) return compare({ text: recording.expected.text }, { text: answer.text });
  const expected = expectedFacts(recording);
  const { text, reasoning, refusal, toolCalls } = answer;
  const { error } = recording.expected;
  return [
    ...compare(
      { ...expected, usage: null, error: error?.message ?? null },
      {
        ...facts(answer),
        usage: null,
        error: error && answer.error?.message.includes(error.message) ? error.message : said(answer.error),
      },
    ),
    // Some wires do not say all counts.
    ...compare(
      named('usage', expected.usage),
      pick(named('usage', answer.usage), named('usage', expected.usage)),
    ),
    ...compare({ deltas: { text, reasoning, refusal, toolCalls } }, { deltas: sumOf(deltas) }),
    ...(recording.wire === 'anthropic-messages' ? blockDifferences(recording, answer) : []),
  ];
}

function said(error: { message: string } | null): string | null {
  return error?.message ?? null;
}

/** Types, signatures and encrypted thoughts of what comes back in later requests. */
function blockDifferences({ expected }: MessagesRecording, answer: Outcome['answer']): Difference[] {
  const blocks = rememberedBlocks(answer) ?? [];
  const isPlain = expected.blocks.every((type) => type === 'text' || type === 'tool_use');
  if (isPlain && blocks.length === 0) return [];
  const fieldsOf = (type: string, field: string) =>
    blocks.filter((block) => block.type === type).map((block) => block[field]);
  return compare(
    { blocks: expected.blocks, signatures: expected.signatures, redacted: expected.redactedThinking },
    {
      blocks: blocks.map(({ type }) => type),
      signatures: fieldsOf('thinking', 'signature'),
      redacted: fieldsOf('redacted_thinking', 'data'),
    },
  );
}

type Fields = Record<string, unknown>;

/** The fields of `expected` that `got` has otherwise. */
export function compare(expected: Fields, got: Fields): Difference[] {
  return Object.keys(expected)
    .filter((field) => !isDeepStrictEqual(expected[field], got[field]))
    .map((field) => ({ field, expected: expected[field], got: got[field] }));
}

/** `{usage.inputTokens: 3}`, or `{usage: null}`. */
function named(name: string, counts: object | null): Fields {
  if (counts === null) return { [name]: null };
  return Object.fromEntries(Object.entries(counts).map(([key, count]) => [`${name}.${key}`, count]));
}

function pick(fields: Fields, like: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name in like));
}

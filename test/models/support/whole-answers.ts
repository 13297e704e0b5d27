import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { parseJson } from '../../../src/protocol/json.ts';
import { compare, type Difference } from './compare.ts';
import type { Outcome } from './generate.ts';
import { fixture, type Wire } from './recordings.ts';

interface ExpectedCall {
  id: string;
  name: string;
  arguments: string;
}

interface WholeAnswer {
  /** A wire, or `error` for a report of one inside a 200. */
  wire: Wire | 'error';
  body: { model: string };
  expected: {
    text: string;
    reasoning: string;
    toolCalls: ExpectedCall[];
    finishReason: string;
    usageRaw: Record<string, number>;
    error?: { message: string };
  };
}

/** Every recorded answer that came in one piece, with the wire whose reader it is for. */
export function wholeAnswers(): (WholeAnswer & { name: string; reader: Wire })[] {
  const folder = new URL('../../fixtures/nonstream/', import.meta.url);
  return globSync('*.json', { cwd: folder })
    .sort()
    .map((file) => {
      const answer = fixture<WholeAnswer>(`nonstream/${file}`);
      const reader = answer.wire === 'error' ? 'openai-chat' : answer.wire;
      return { ...answer, name: basename(file, '.json'), reader };
    });
}

/** Where an answer is not what was recorded; empty when it is. */
export function wholeDifferences({ wire, body, expected }: WholeAnswer, { answer }: Outcome): Difference[] {
  if (wire === 'error') {
    const { message = '' } = expected.error ?? {};
    return compare({ error: message }, { error: answer.error?.message.includes(message) ? message : null });
  }
  const { text, reasoning, toolCalls, finishReason, usageRaw } = expected;
  return compare(
    {
      text,
      reasoning,
      toolCalls: toolCalls.map(parsed),
      finishReason,
      model: body.model,
      error: null,
      input: usageRaw.prompt_tokens ?? usageRaw.input_tokens,
      output: usageRaw.completion_tokens ?? usageRaw.output_tokens,
    },
    {
      ...answer,
      toolCalls: answer.toolCalls.map(parsed),
      input: answer.usage?.inputTokens,
      output: answer.usage?.outputTokens,
    },
  );
}

/** Arguments that came as an object are written by us, with other spaces. */
function parsed({ id, name, arguments: text }: ExpectedCall) {
  return { id, name, arguments: parseJson(text) };
}

import { expectedFacts, type Recording } from '../recordings.ts';

/** What a recording holds, and the fields of the comparison that show whether it was read. */
interface Feature {
  name: string;
  has(recording: Recording): boolean;
  fields: readonly RegExp[];
}

const isIn = (recording: Recording, ...words: RegExp[]) =>
  recording.features.some((feature) => words.some((word) => word.test(feature)));

/** In the order of the table. */
export const features: readonly Feature[] = [
  { name: 'text', has: ({ expected }) => expected.text !== '', fields: [/^text$/, /^deltas$/] },
  {
    name: 'reasoning',
    has: ({ expected }) => expected.reasoning !== '',
    fields: [/^reasoning$/, /^deltas$/],
  },
  {
    name: 'signatures',
    has: (recording) =>
      isIn(recording, /^thinking-signature$/, /^encrypted-reasoning$/, /^reasoning_details/),
    fields: [/^signatures$/, /^redacted$/, /^blocks$/],
  },
  {
    name: 'tools',
    has: ({ expected }) => expected.toolCalls.length > 0,
    fields: [/^toolCalls$/, /^deltas$/],
  },
  { name: 'parallel', has: ({ expected }) => expected.toolCalls.length > 1, fields: [/^toolCalls$/] },
  {
    name: 'server tools',
    has: (recording) => isIn(recording, /^item:/, /^block:/, /^server_tool_use$/, /^mcp_tool_use$/),
    fields: [/^blocks$/, /^text$/],
  },
  { name: 'usage', has: ({ expected }) => expected.usage !== null, fields: [/^usage/] },
  {
    name: 'cached',
    has: (recording) => (expectedFacts(recording).usage?.cachedInputTokens ?? 0) > 0,
    fields: [/^usage\.(cached|input)/],
  },
  { name: 'refusal', has: ({ expected }) => (expected.refusal ?? '') !== '', fields: [/^refusal$/] },
  { name: 'errors', has: ({ expected }) => expected.error !== null, fields: [/^error$/] },
  { name: 'unicode', has: (recording) => isIn(recording, /^non-ascii$/), fields: [/^text$/, /^toolCalls$/] },
];

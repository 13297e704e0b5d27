import fc from 'fast-check';
import type { PromptMessage } from '../../../src/agent/chat-model.ts';
import type { ModelAnswer } from '../../../src/protocol/answer.ts';
import { block, callBlock, messageEnd, messageStart, read, textBlock } from './support.ts';

type AnyMessage = PromptMessage;

/** Words as they come: blank, cut inside a surrogate pair, or something. */
const words = fc.oneof(
  fc.constantFrom('', ' \n', 'Once', 'cut \ud83d', ' done \n'),
  fc.string({ unit: 'grapheme' }),
);
const callId = fc.constantFrom(
  '',
  'call_0',
  'call_1',
  'a.b',
  'a_b',
  'a:b',
  'x'.repeat(80),
  'functions.add:0',
);
const callName = fc.constantFrom('add', 'mul', 'web.search', '');
const serverId = fc.constantFrom('srvtoolu_1', 'srvtoolu_2', 'srvtoolu_3');

/** The events of one block, for its index. */
type BlockEvents = (index: number) => string;

const anyBlock: fc.Arbitrary<BlockEvents> = fc.oneof(
  words.map((text) => (index: number) => textBlock(index, text)),
  fc.string().map((thought) => (index: number) => {
    const deltas = [
      { type: 'thinking_delta', thinking: thought },
      { type: 'signature_delta', signature: 'c2ln' },
    ];
    return block(index, { type: 'thinking', thinking: '', signature: '' }, ...deltas);
  }),
  fc.constant((index: number) => block(index, { type: 'redacted_thinking', data: 'b3BhcXVl' })),
  fc.tuple(callId, callName, fc.constantFrom('', '{"a": 1}', '{"a"', '[1]')).map(
    ([id, name, args]) =>
      (index: number) =>
        callBlock(index, id, name, args),
  ),
  serverId.map((id) => (index: number) => {
    return block(index, { type: 'server_tool_use', id, name: 'web_search', input: { query: 'x' } });
  }),
  serverId.map((id) => (index: number) => {
    return block(index, { type: 'web_search_tool_result', tool_use_id: id, content: [] });
  }),
  words.map((text) => (index: number) => {
    const deltas = [{ type: 'citations_delta', citation: { url: 'https://example.com' } }];
    return block(index, { type: 'text', text: '', citations: [] }, ...deltas, { type: 'text_delta', text });
  }),
  fc.constant((index: number) => block(index, { type: 'type_to_come', words: 'opaque' })),
);

/** What a provider answered, read by our reader; some answers break off. */
const anyAnswer: fc.Arbitrary<ModelAnswer> = fc
  .tuple(fc.array(anyBlock, { maxLength: 5 }), fc.option(fc.nat(2_000), { freq: 4 }))
  .map(([blocks, cut]) => {
    const whole = messageStart() + blocks.map((events, i) => events(i)).join('') + messageEnd();
    return read([cut === null ? whole : whole.slice(0, cut)]).answer;
  });

/** An answer and the results of its calls, as the projection puts them. */
const turn: fc.Arbitrary<AnyMessage[]> = fc
  .tuple(
    anyAnswer,
    fc.array(fc.record({ text: words, isError: fc.boolean() }), { minLength: 5, maxLength: 5 }),
  )
  .map(([answer, results]) => {
    const { text, reasoning, providerData, error } = answer;
    const toolCalls = error ? [] : answer.toolCalls;
    return [
      { role: 'assistant', text, reasoning, toolCalls, ...(providerData && { providerData }) },
      ...toolCalls.map(({ id, name }, i): AnyMessage => {
        return { role: 'tool', toolCallId: id, name, ...(results[i] ?? { text: '', isError: false }) };
      }),
    ];
  });

const saidByUser = words.map((text): AnyMessage[] => [{ role: 'user', text }]);
const system = words.map((text): AnyMessage[] => [{ role: 'system', text }]);

/** A conversation as a model may be given it, and then some: it need not begin or end with the user. */
export const conversation: fc.Arbitrary<AnyMessage[]> = fc
  .tuple(fc.oneof(system, fc.constant([])), fc.array(fc.oneof(saidByUser, turn), { maxLength: 8 }))
  .map(([first, rest]) => [...first, ...rest.flat()]);

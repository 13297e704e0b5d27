import fc from 'fast-check';
import type { ModelAnswer } from '../../../src/protocol/content.ts';
import type { PromptMessage } from '../../../src/protocol/ports/chat-model.ts';
import { block, callBlock, messageEnd, messageStart, read, textBlock } from './support.ts';

/** Words as they come: blank, cut inside a surrogate pair, or something. */
const words = fc.oneof(
  fc.constantFrom('', ' \n', 'Once', 'cut \ud83d', ' done \n'),
  fc.string({ unit: 'grapheme' }),
);
const long = 'x'.repeat(80);
const callId = fc.constantFrom('', 'call_0', 'call_1', 'a.b', 'a_b', 'a:b', long, 'functions.add:0');
const callName = fc.constantFrom('add', 'mul', 'web.search', '');
const serverId = fc.constantFrom('srvtoolu_1', 'srvtoolu_2', 'srvtoolu_3');

/** The events of one block, for its index. */
type BlockEvents = (index: number) => string;

function events(
  start: Record<string, unknown>,
  ...deltas: { type: string; [field: string]: unknown }[]
): BlockEvents {
  return (index) => block(index, start, ...deltas);
}

const ownBlock: fc.Arbitrary<BlockEvents> = fc.oneof(
  words.map(
    (text): BlockEvents =>
      (index) =>
        textBlock(index, text),
  ),
  fc.string().map((thinking) => {
    const signed = { type: 'signature_delta', signature: 'c2ln' };
    return events(
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking },
      signed,
    );
  }),
  fc.constant(events({ type: 'redacted_thinking', data: 'b3BhcXVl' })),
  fc.tuple(callId, callName, fc.constantFrom('', '{"a": 1}', '{"a"', '[1]')).map(
    ([id, name, args]): BlockEvents =>
      (index) =>
        callBlock(index, id, name, args),
  ),
  words.map((text) => {
    const cited = { type: 'citations_delta', citation: { url: 'https://example.com' } };
    return events({ type: 'text', text: '', citations: [] }, cited, { type: 'text_delta', text });
  }),
  fc.constant(events({ type: 'type_to_come', words: 'opaque' })),
);

/** Of tools that the server runs itself; it may owe the result. */
const serverBlock: fc.Arbitrary<BlockEvents> = fc.oneof(
  serverId.map((id) => events({ type: 'server_tool_use', id, name: 'web_search', input: { query: 'x' } })),
  serverId.map((id) => events({ type: 'web_search_tool_result', tool_use_id: id, content: [] })),
);

function streamOf(blocks: readonly BlockEvents[]): string {
  return messageStart() + blocks.map((one, i) => one(i)).join('') + messageEnd();
}

/** What a provider answered, read by our reader; some answers break off. */
const anyAnswer: fc.Arbitrary<ModelAnswer> = fc
  .tuple(fc.array(fc.oneof(ownBlock, serverBlock), { maxLength: 6 }), fc.option(fc.nat(2_000), { freq: 4 }))
  .map(([blocks, cut]) => {
    const whole = streamOf(blocks);
    return read([cut === null ? whole : whole.slice(0, cut)]).answer;
  });

const wholeAnswer: fc.Arbitrary<ModelAnswer> = fc
  .array(ownBlock, { maxLength: 5 })
  .map((blocks) => read([streamOf([...blocks, (index) => textBlock(index, 'Done.')])]).answer);

const someResults = fc.array(fc.record({ text: words, isError: fc.boolean() }), {
  minLength: 6,
  maxLength: 6,
});

/** An answer and the results of its calls; the user may speak while they come. */
function turnOf(answers: fc.Arbitrary<ModelAnswer>): fc.Arbitrary<PromptMessage[]> {
  const interruptions = fc.option(words, { freq: 3 });
  return fc.tuple(answers, someResults, interruptions).map(([answer, results, interruption]) => {
    const { text, reasoning, providerData, error } = answer;
    const toolCalls = error ? [] : answer.toolCalls;
    const settled = toolCalls.map(({ id, name }, i): PromptMessage => {
      return { role: 'tool', toolCallId: id, name, ...(results[i] ?? { text: '', isError: false }) };
    });
    if (interruption !== null) settled.splice(1, 0, { role: 'user', text: interruption });
    return [
      { role: 'assistant', text, reasoning, toolCalls, ...(providerData && { providerData }) },
      ...settled,
    ];
  });
}

const saidByUser = words.map((text): PromptMessage[] => [{ role: 'user', text }]);
const system = words.map((text): PromptMessage[] => [{ role: 'system', text }]);

/** A conversation as a model may be given it, and then some: it need not begin or end with the user. */
export const conversation: fc.Arbitrary<PromptMessage[]> = fc
  .tuple(
    fc.oneof(system, fc.constant([])),
    fc.array(fc.oneof(saidByUser, turnOf(anyAnswer)), { maxLength: 8 }),
  )
  .map(([first, rest]) => [...first, ...rest.flat()]);

/** Questions and their answers, each with something to say. */
export const dialogue: fc.Arbitrary<PromptMessage[]> = fc
  .array(turnOf(wholeAnswer), { minLength: 1, maxLength: 6 })
  .map((turns) => turns.flatMap((turn, i) => [{ role: 'user', text: `Question ${i}` }, ...turn]));

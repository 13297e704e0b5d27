import { MessageAnswer } from '../../../src/models/anthropic/message-answer.ts';
import { ChatBody } from '../../../src/models/openai/chat.ts';
import { ResponseAnswer } from '../../../src/models/openai/responses/response-answer.ts';
import { AnswerBody } from '../../../src/models/wire/answer-body.ts';
import type { FinishKind, ModelAnswer, ModelError, ModelToolCall } from '../../../src/protocol/content.ts';
import type { PromptMessage } from '../../../src/protocol/ports/chat-model.ts';
import type { Fields } from '../../support/wire-rules/rule.ts';

export type Wire = 'chat' | 'responses' | 'messages';
export const wires: readonly Wire[] = ['chat', 'responses', 'messages'];

/** What a model is about to say, whichever wire it speaks. */
export interface Saying {
  text: string;
  refusal: string;
  toolCalls: readonly ModelToolCall[];
  finish: FinishKind;
  /** Of its thoughts: what is plain to read. */
  thought: string;
  /** How thoughts are given; not every wire has every way. */
  thoughtForm: 'none' | 'plain' | 'signed' | 'encrypted';
  /** A tool that the server runs itself comes first; it may owe the result. */
  serverCall: 'none' | 'answered' | 'owed';
  /** Ends the answer where it is: share of its bytes that come. Null for whole answers. */
  cutAt: number | null;
}

/** What was said, as the adapters bring it back. */
interface Spoken {
  answer: ModelAnswer;
  /** On the Responses wire: what the server would keep. */
  output: Fields[];
  /** On the messages wire: blocks that may only come back as they are. */
  signed: string[];
}

interface Asking {
  /** The provider's model id. */
  model: string;
  messages: readonly PromptMessage[];
  /** Whether the server keeps responses. */
  threading: boolean;
  /** Mints numbers for the ids of the provider. */
  nextId(): number;
}

const origin = 'http://provider.test';
const silent = () => {};

/** Has a provider say something over its wire: its bytes, read by our own reader. */
export function speak(wire: Wire, saying: Saying, asking: Asking, failure: ModelError | null): Spoken {
  switch (wire) {
    case 'chat': {
      const body = new ChatBody({ origin, onDelta: silent });
      return { answer: read(body, chatEvents(saying), saying, asking, failure), output: [], signed: [] };
    }
    case 'messages': {
      const reader = new MessageAnswer(origin, silent);
      const body = new AnswerBody(reader, { origin, kind: 'message' });
      const blocks = messageBlocks(saying, asking);
      const answer = read(body, messageEvents(blocks, saying), saying, asking, failure);
      const isSigned = ({ type }: Fields) => type === 'thinking' || type === 'redacted_thinking';
      return { answer, output: [], signed: blocks.filter(isSigned).map((block) => JSON.stringify(block)) };
    }
    case 'responses': {
      const id = `resp_${asking.nextId()}`;
      const output = outputItems(saying, asking);
      const reader = new ResponseAnswer(origin, silent, asking);
      const body = new AnswerBody(reader, { origin, kind: 'response' });
      const answer = read(body, responseEvents(id, output, saying, asking), saying, asking, failure);
      return { answer, output: [{ id }, ...output], signed: [] };
    }
  }
}

function read(
  body: AnswerBody,
  events: readonly Fields[],
  { cutAt }: Saying,
  { model }: Asking,
  failure: ModelError | null,
): ModelAnswer {
  const all = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const bytes = Buffer.from(all);
  const come = cutAt === null ? bytes : bytes.subarray(0, Math.floor(bytes.length * cutAt));
  if (come.length > 0) body.feed(come);
  return failure ? body.finish(model, failure) : body.finish(model);
}

// Chat completions

const chatFinish: Readonly<Record<FinishKind, string>> = {
  stop: 'stop',
  toolCalls: 'tool_calls',
  length: 'length',
  contentFilter: 'content_filter',
  refusal: 'refusal',
  unknown: 'strange',
};

function chatEvents(saying: Saying): Fields[] {
  const { thought, thoughtForm, text, refusal, toolCalls, finish } = saying;
  const delta = (fields: Fields) => ({ model: 'real', choices: [{ index: 0, delta: fields }] });
  const details = (detail: Fields) => delta({ reasoning_details: [{ index: 0, format: 'f', ...detail }] });
  return [
    delta({ role: 'assistant' }),
    ...(thoughtForm === 'plain' ? [delta({ reasoning_content: thought })] : []),
    ...(thoughtForm === 'signed'
      ? [
          details({ type: 'reasoning.text', text: thought }),
          details({ type: 'reasoning.text', signature: 'c2ln' }),
        ]
      : []),
    ...(thoughtForm === 'encrypted'
      ? [details({ type: 'reasoning.encrypted', data: 'b3BhcXVl', id: 'r' })]
      : []),
    ...(text === '' ? [] : [delta({ content: text })]),
    ...(refusal === '' ? [] : [delta({ refusal })]),
    ...toolCalls.map(({ id, name, arguments: args }, index) =>
      delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }] }),
    ),
    {
      choices: [{ index: 0, delta: {}, finish_reason: chatFinish[finish] }],
      usage: { prompt_tokens: 10, completion_tokens: 5 },
    },
  ];
}

// Messages

const stopReasons: Readonly<Record<FinishKind, string>> = {
  stop: 'end_turn',
  toolCalls: 'tool_use',
  length: 'max_tokens',
  contentFilter: 'refusal',
  refusal: 'refusal',
  unknown: 'strange',
};

/** Blocks as the server has them; the input of calls is their text, which need not be JSON. */
function messageBlocks(saying: Saying, { nextId }: Asking): Fields[] {
  const { thought, thoughtForm, text, refusal, toolCalls, serverCall } = saying;
  const id = `srvtoolu_${nextId()}`;
  return [
    ...(thoughtForm === 'plain' || thoughtForm === 'signed'
      ? [{ type: 'thinking', thinking: thought, signature: `c2ln${nextId()}` }]
      : []),
    ...(thoughtForm === 'encrypted' ? [{ type: 'redacted_thinking', data: `b3Bh${nextId()}` }] : []),
    ...(serverCall === 'none'
      ? []
      : [{ type: 'server_tool_use', id, name: 'web_search', input: { query: 'x' } }]),
    ...(serverCall === 'answered' ? [{ type: 'web_search_tool_result', tool_use_id: id, content: [] }] : []),
    ...(text || refusal ? [{ type: 'text', text: text || refusal }] : []),
    ...toolCalls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input })),
  ];
}

function messageEvents(blocks: readonly Fields[], { finish }: Saying): Fields[] {
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'real',
    content: [],
    usage: { input_tokens: 10, output_tokens: 1 },
  };
  const delta = { stop_reason: stopReasons[finish], stop_sequence: null };
  return [
    { type: 'message_start', message },
    ...blocks.flatMap((block, index) => {
      const [start, deltas] = unrolled(block);
      return [
        { type: 'content_block_start', index, content_block: start },
        ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ];
    }),
    { type: 'message_delta', delta, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ];
}

function unrolled(block: Fields): [start: Fields, deltas: Fields[]] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: '' }, [{ type: 'text_delta', text: block.text }]];
    case 'thinking':
      return [
        { type: 'thinking', thinking: '', signature: '' },
        [
          { type: 'thinking_delta', thinking: block.thinking },
          { type: 'signature_delta', signature: block.signature },
        ],
      ];
    case 'tool_use':
      return [{ ...block, input: {} }, [{ type: 'input_json_delta', partial_json: block.input }]];
    default:
      return [block, []];
  }
}

// Responses

function outputItems(saying: Saying, { nextId }: Asking): Fields[] {
  const { thought, thoughtForm, text, refusal, toolCalls, serverCall } = saying;
  const done = { status: 'completed' };
  const reasoning = () => ({
    type: 'reasoning',
    id: `rs_${nextId()}`,
    summary: thoughtForm === 'plain' ? [{ type: 'summary_text', text: thought }] : [],
    ...(thoughtForm === 'encrypted' && { encrypted_content: `gAAA${nextId()}` }),
    ...(thoughtForm === 'signed' && { content: [{ type: 'reasoning_text', text: thought }] }),
  });
  const thoughts = thoughtForm === 'none' ? [] : [reasoning()];
  const part = text ? { type: 'output_text', text, annotations: [] } : { type: 'refusal', refusal };
  const phase = toolCalls.length > 0 ? { phase: 'commentary' } : {};
  return [
    ...thoughts,
    ...(serverCall === 'none'
      ? []
      : serverCall === 'answered'
        ? [{ type: 'web_search_call', id: `ws_${nextId()}`, ...done }]
        : [
            {
              type: 'custom_tool_call',
              id: `ctc_${nextId()}`,
              call_id: `own_${nextId()}`,
              name: 'sql',
              input: '',
            },
          ]),
    ...(text || refusal
      ? [{ type: 'message', id: `msg_${nextId()}`, role: 'assistant', content: [part], ...done, ...phase }]
      : []),
    ...toolCalls.flatMap(({ id, name, arguments: args }, i) => [
      // Some models think again before each call.
      ...(i > 0 && thoughtForm === 'encrypted' ? [reasoning()] : []),
      { type: 'function_call', id: `fc_${nextId()}`, call_id: id, name, arguments: args, ...done },
    ]),
  ];
}

function responseEvents(
  id: string,
  output: readonly Fields[],
  { finish }: Saying,
  { threading, model }: Asking,
): Fields[] {
  const isWhole = finish !== 'length' && finish !== 'contentFilter';
  const response = {
    id,
    object: 'response',
    model,
    store: threading,
    status: isWhole ? 'completed' : 'incomplete',
    ...(!isWhole && {
      incomplete_details: { reason: finish === 'length' ? 'max_output_tokens' : 'content_filter' },
    }),
    output,
    usage: { input_tokens: 10, output_tokens: 5 },
  };
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    ...output.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item },
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: isWhole ? 'response.completed' : 'response.incomplete', response },
  ];
}

import { createMessagesModel } from '../../../src/models/anthropic/messages-model.ts';
import { createOpenAIChat } from '../../../src/models/openai/chat.ts';
import { createResponsesModel } from '../../../src/models/openai/responses/responses.ts';
import type { ChatModel } from '../../../src/protocol/ports/chat-model.ts';
import * as messages from '../anthropic/support.ts';
import * as responses from '../openai/responses/support.ts';
import * as chat from '../openai/support.ts';
import type { CallSetting, Outcome } from './generate.ts';
import type { Wire } from './recordings.ts';

interface Timeouts {
  firstByteTimeoutMs?: number;
  idleTimeoutMs?: number;
  wholeTimeoutMs?: number;
}

/** One wire as tests of all of them need it. */
interface WireTest {
  create(options: { baseURL: string; apiKey: string | null }): ChatModel;
  /** One call to a provider at `baseURL`. */
  generate(baseURL: string, setting?: CallSetting & Timeouts): Promise<Outcome>;
  /** Reads a body without HTTP. */
  read(pieces: Iterable<Uint8Array | string>, maxChars?: number): Outcome;
  /** The beginning of an answer that has said "Once" so far. */
  once: string;
  /** What completes that answer. */
  end: string;
  /** An answer that came in one piece, and says "Once". */
  whole: object;
}

export const wireTests: Readonly<Record<Wire, WireTest>> = {
  'openai-chat': {
    create: createOpenAIChat,
    generate: chat.generate,
    read: chat.read,
    once: chat.chunk({ content: 'Once' }),
    end: chat.chunk({}, { finish: 'stop' }) + chat.done,
    whole: { choices: [{ message: { content: 'Once' }, finish_reason: 'stop' }] },
  },
  'openai-responses': {
    create: createResponsesModel,
    generate: responses.generate,
    read: responses.read,
    once: responses.created + responses.textDelta(0, 'Once'),
    end: responses.completed(),
    whole: responses.response({ status: 'completed', output: [responses.message('Once')] }),
  },
  'anthropic-messages': {
    create: createMessagesModel,
    generate: messages.generate,
    read: messages.read,
    once:
      messages.messageStart() + (messages.textBlock(0, 'Once').split('event: content_block_stop')[0] ?? ''),
    end: messages.messageEnd(),
    whole: { type: 'message', content: [{ type: 'text', text: 'Once' }], stop_reason: 'end_turn' },
  },
};

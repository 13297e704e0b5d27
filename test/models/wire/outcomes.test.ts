import { describe, expect, it } from 'vitest';
import { createMessagesModel } from '../../../src/models/anthropic/messages-model.ts';
import { createOpenAIChat } from '../../../src/models/openai/chat.ts';
import { createResponsesModel } from '../../../src/models/openai/responses/responses.ts';
import type { ChatModel } from '../../../src/protocol/ports/chat-model.ts';
import { withModel } from '../../support/detent.ts';
import { messageEnd, messageStart, event as messagesEvent, textBlock } from '../anthropic/support.ts';
import {
  completed,
  created,
  message,
  response,
  event as responsesEvent,
  streamed,
} from '../openai/responses/support.ts';
import { event as chatEvent, chunk, done } from '../openai/support.ts';
import { serve, stream } from '../support/loopback.ts';

/** How a provider of one wire says the same things. */
interface Wire {
  model: (baseURL: string) => ChatModel;
  /** Text, and then the end. */
  length: string[];
  contentFilter: string[];
  refusal: string[];
  /** Text, and then an error inside the stream. */
  failed: string[];
  /** Text, and then nothing. */
  cut: string[];
}

const item = message('I would rather', { status: 'in_progress' });
const saidOn = {
  chat: chunk({ content: 'I would rather' }),
  responses: created + streamed(0, item, 'I would rather'),
  messages: messageStart() + textBlock(0, 'I would rather'),
};
const incomplete = (reason: string) =>
  responsesEvent('response.incomplete', {
    response: response({ status: 'incomplete', incomplete_details: { reason }, output: [item] }),
  });
const refusing = { type: 'refusal', refusal: 'I cannot help with that.' };

const wires: Record<string, Wire> = {
  chat: {
    model: (baseURL) => createOpenAIChat({ baseURL, apiKey: null }),
    length: [saidOn.chat, chunk({}, { finish: 'length' }), done],
    contentFilter: [saidOn.chat, chunk({}, { finish: 'content_filter' }), done],
    refusal: [chunk({ refusal: refusing.refusal }), chunk({}, { finish: 'stop' }), done],
    failed: [saidOn.chat, chatEvent({ error: { message: 'The model broke.', type: 'server_error' } })],
    cut: [saidOn.chat],
  },
  responses: {
    model: (baseURL) => createResponsesModel({ baseURL, apiKey: null }),
    length: [saidOn.responses, incomplete('max_output_tokens')],
    contentFilter: [saidOn.responses, incomplete('content_filter')],
    refusal: [created, completed([{ ...item, content: [refusing] }])],
    failed: [
      saidOn.responses,
      responsesEvent('response.failed', {
        response: response({
          status: 'failed',
          error: { code: 'server_error', message: 'The model broke.' },
        }),
      }),
    ],
    cut: [saidOn.responses],
  },
  messages: {
    model: (baseURL) => createMessagesModel({ baseURL, apiKey: null }),
    length: [saidOn.messages, messageEnd('max_tokens')],
    contentFilter: [saidOn.messages, messageEnd('sensitive')],
    refusal: [messageStart(), textBlock(0, refusing.refusal), messageEnd('refusal')],
    failed: [
      saidOn.messages,
      messagesEvent({ type: 'error', error: { type: 'api_error', message: 'The model broke.' } }),
    ],
    cut: [saidOn.messages],
  },
};

async function runOf(wire: Wire, pieces: readonly string[]) {
  const { baseURL, requests } = await serve((response) => stream(response, pieces));
  const detent = withModel(wire.model(baseURL));
  const view = await detent.run('Do it.', { limits: { maxRetries: 1 } }).result;
  return { view, asked: requests.length };
}

describe.each(Object.entries(wires))('a run over the %s wire', (_, wire) => {
  it('that is cut off at its longest is truncated, and says what it has', async () => {
    const { view, asked } = await runOf(wire, wire.length);
    expect(view).toMatchObject({ outcome: 'truncated', text: 'I would rather' });
    expect(asked).toBe(1);
  });

  it('that a filter stops is content_filtered', async () => {
    expect((await runOf(wire, wire.contentFilter)).view).toMatchObject({ outcome: 'content_filtered' });
  });

  it('that the model refuses is refused, with its words', async () => {
    const { view } = await runOf(wire, wire.refusal);
    expect(view.outcome).toBe('refused');
    expect(JSON.stringify(view)).toContain(refusing.refusal);
  });

  it('whose provider fails in the middle keeps what came and names the failure', async () => {
    const { view } = await runOf(wire, wire.failed);
    expect(view).toMatchObject({ status: 'failed', outcome: 'provider_error' });
    expect(view.error?.message).toContain('The model broke.');
    expect(JSON.stringify(view.steps)).toContain('I would rather');
  });

  it('whose stream ends without an end keeps what came and says so', async () => {
    const { view } = await runOf(wire, wire.cut);
    expect(view).toMatchObject({
      status: 'failed',
      outcome: 'provider_error',
      error: { code: 'MODEL_NETWORK' },
    });
    expect(JSON.stringify(view.steps)).toContain('I would rather');
  });
});

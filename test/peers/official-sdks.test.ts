import { createServer } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMessagesModel } from '../../src/models/anthropic/messages-model.ts';
import { createOpenAIChat } from '../../src/models/openai/chat.ts';
import { createResponsesModel } from '../../src/models/openai/responses/responses.ts';
import { differencesOf } from '../models/support/compare.ts';
import { allRecordings, type Wire, wires } from '../models/support/recordings.ts';
import { wireTests } from '../models/support/wires.ts';
import { afterwards } from '../support/afterwards.ts';
import { listening } from '../support/listening.ts';
import { readingOf, sdkReaders } from './official-sdks.ts';
import { startPeer } from './peer.ts';

/** Recordings on which the provider's own SDK throws, and with what. */
const sdkThrows: Readonly<Record<string, RegExp>> = {
  'anthropic/ai-duplicate-message-start': /Unexpected event order/,
  'bedrock-mantle/rub-providers-bedrock-mantle-responses-chat-streams-through-the-responses-surface':
    /Unhandled response stream event/,
  // The recording holds an error of the provider.
  'groq/pai-test-tool-use-failed-error-streaming': /Tool call validation failed/,
  'mistral/ai-mistral-tool-call': /invalid tool call index/,
  'openai/ai-openai-apply-patch-tool-1': /Unhandled response stream event/,
  'snowflake/pai-test-snowflake-model-streaming': /missing finish_reason/,
};

/** Recordings of which it makes something else than what they hold, and where. */
const sdkDiffers: Readonly<Record<string, 'text' | 'usage'>> = {
  // Content in parts becomes "[object Object]".
  'mistral/ai-mistral-reasoning': 'text',
  // The last event holds other words than the pieces did.
  'openai/ai-openai-phase-1': 'text',
  // The usage comes before the last choice.
  'openai/pai-test-openai-moderation-stream': 'usage',
};

const recordings = allRecordings();
let bytes: Uint8Array = new Uint8Array();
let url = '';

beforeAll(async () => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(bytes);
  });
  url = await listening(server);
  afterwards(() => {
    server.close();
    server.closeAllConnections();
  });
});

function isAgreed({ id }: { id: string }): boolean {
  return !(id in sdkThrows) && !(id in sdkDiffers);
}

describe('the SDKs of the providers, reading what was recorded', () => {
  it('are known to stumble over nine recordings, all of which exist', () => {
    const ids = new Set(recordings.map(({ id }) => id));
    const stumbles = [...Object.keys(sdkThrows), ...Object.keys(sdkDiffers)];
    expect(stumbles.filter((id) => !ids.has(id))).toEqual([]);
    expect(recordings.filter(isAgreed)).toHaveLength(recordings.length - 9);
  });

  it.each(wires)('make the same of all others of the %s wire as we do', async (wire) => {
    for (const recording of recordings.filter((one) => one.wire === wire && isAgreed(one))) {
      bytes = recording.bytes;
      const ours = readingOf(wireTests[wire].read([bytes]));
      expect(await sdkReaders[wire](url), recording.id).toEqual(ours);
    }
  });

  it.each(Object.entries(sdkThrows))('throw on %s, which we read', async (id, message) => {
    const recording = recordings.find((one) => one.id === id);
    if (!recording) throw new Error(`there is no recording ${id}`);
    bytes = recording.bytes;
    await expect(sdkReaders[recording.wire](url)).rejects.toThrow(message);
    expect(differencesOf(recording, wireTests[recording.wire].read([bytes]))).toEqual([]);
  });

  it.each(Object.entries(sdkDiffers))('differ on %s in its %s, which we read', async (id, field) => {
    const recording = recordings.find((one) => one.id === id);
    if (!recording) throw new Error(`there is no recording ${id}`);
    bytes = recording.bytes;
    const ours = readingOf(wireTests[recording.wire].read([bytes]));
    const theirs = await sdkReaders[recording.wire](url);
    expect(theirs[field]).not.toEqual(ours[field]);
    expect({ ...theirs, [field]: null }).toEqual({ ...ours, [field]: null });
    expect(differencesOf(recording, wireTests[recording.wire].read([bytes]))).toEqual([]);
  });
});

describe('an independent server', () => {
  const makers = {
    'openai-chat': (at: string) => createOpenAIChat({ baseURL: `${at}/v1`, apiKey: 'k' }),
    'openai-responses': (at: string) => createResponsesModel({ baseURL: `${at}/v1`, apiKey: 'k' }),
    'anthropic-messages': (at: string) => createMessagesModel({ baseURL: at, apiKey: 'k' }),
  } satisfies Record<Wire, unknown>;

  it.each(wires)('says the same over the %s wire to the SDK and to us', async (wire) => {
    const peer = await startPeer();
    const usage = { prompt_tokens: 30, completion_tokens: 12, input_tokens: 30, output_tokens: 12 };
    const toolCalls = [
      { id: 'call_a', name: 'weather', arguments: '{"place":"北京 🌧"}' },
      { id: 'call_b', name: 'time', arguments: '{}' },
    ];
    peer.on({ userMessage: 'Hi' }, { content: 'Let me see: “früh” 🙂', toolCalls, usage }, { chunkSize: 3 });
    const answer = await makers[wire](peer.url).generate(
      { model: 'm', messages: [{ role: 'user', text: 'Hi' }], tools: [] },
      { signal: new AbortController().signal, idempotencyKey: 'k', onDelta() {} },
    );
    const ours = readingOf({ answer, deltas: [] });
    expect(answer.error).toBeNull();
    expect(ours.text).toBe('Let me see: “früh” 🙂');
    expect(ours.calls.map(({ name, arguments: args }) => [name, args])).toEqual([
      ['weather', { place: '北京 🌧' }],
      ['time', {}],
    ]);
    expect(ours.usage).toEqual({ input: 30, output: 12 });
    expect(await sdkReaders[wire](peer.url)).toEqual(ours);
  });
});

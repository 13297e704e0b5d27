import { ChatBody, createOpenAIChat, type OpenAIChatOptions } from '../../../src/models/openai/chat.ts';
import type { ModelRequest } from '../../../src/ports/chat-model.ts';
import type { ModelAnswer, ModelDelta } from '../../../src/protocol/answer.ts';

export interface Outcome {
  answer: ModelAnswer;
  deltas: ModelDelta[];
}

export interface GenerateSetting extends Partial<OpenAIChatOptions> {
  request?: Partial<ModelRequest>;
  signal?: AbortSignal;
  onDelta?: (delta: ModelDelta) => void;
}

/** One call to a provider at `baseURL`. */
export async function generate(baseURL: string, setting: GenerateSetting = {}): Promise<Outcome> {
  const { request, signal = new AbortController().signal, onDelta, ...options } = setting;
  const deltas: ModelDelta[] = [];
  const answer = await createOpenAIChat({ baseURL, apiKey: 'sk-test-key', ...options }).generate(
    { model: 'a-model', messages: [{ role: 'user', text: 'Hello' }], tools: [], ...request },
    {
      signal,
      idempotencyKey: 'run:1',
      onDelta(delta) {
        deltas.push(delta);
        onDelta?.(delta);
      },
    },
  );
  return { answer, deltas };
}

/** Reads the body of an answer without HTTP. */
export function read(pieces: Iterable<Uint8Array | string>, maxChars?: number): Outcome {
  const deltas: ModelDelta[] = [];
  const body = new ChatBody({
    origin: 'http://provider.test',
    onDelta: (delta) => deltas.push(delta),
    ...(maxChars !== undefined && { maxChars }),
  });
  for (const piece of pieces) if (body.feed(Buffer.from(piece))) break;
  return { answer: body.finish('a-model'), deltas };
}

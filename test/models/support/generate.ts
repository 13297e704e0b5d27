import type { Reliance } from '../../../src/models/openai/responses/responses-request.ts';
import type { ModelAnswer, ModelDelta } from '../../../src/protocol/content.ts';
import type { ChatModel, ModelRequest } from '../../../src/protocol/ports/chat-model.ts';

export interface Outcome {
  answer: ModelAnswer;
  deltas: ModelDelta[];
}

/** One call of a model; left out: a greeting that nobody cuts off. */
export interface CallSetting {
  request?: Partial<ModelRequest>;
  signal?: AbortSignal;
  onDelta?: (delta: ModelDelta) => void;
}

/** What a model of any wire answers, and in which pieces. */
export async function callModel(model: ChatModel, setting: CallSetting): Promise<Outcome> {
  const { request, signal = new AbortController().signal, onDelta } = setting;
  const deltas: ModelDelta[] = [];
  const answer = await model.generate(
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

/** The reader of an answer's body, of any wire. */
interface Body {
  feed(bytes: Uint8Array): boolean;
  finish(model: string): ModelAnswer;
}

/** Reads the body of an answer without HTTP. */
export function readBody(
  bodyOf: (onDelta: (delta: ModelDelta) => void) => Body,
  pieces: Iterable<Uint8Array | string>,
): Outcome {
  const deltas: ModelDelta[] = [];
  const body = bodyOf((delta) => deltas.push(delta));
  for (const piece of pieces) if (body.feed(Buffer.from(piece))) break;
  return { answer: body.finish('a-model'), deltas };
}

/** Where a body comes from that no server sent. */
export const origin = 'http://provider.test';
export const apiKey = 'sk-test-key';

/** What a server of the Responses wire is relied on for that keeps nothing. */
export const stateless: Reliance = {
  store: false,
  thread: false,
  include: true,
  items: true,
  strict: true,
  output: true,
};

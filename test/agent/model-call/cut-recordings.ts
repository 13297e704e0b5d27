import type { ServerResponse } from 'node:http';
import * as z from 'zod';
import { type Detent, defineTool, type RunView } from '../../../src/index.ts';
import type { ModelDelta } from '../../../src/protocol/content.ts';
import type { ModelApi } from '../../../src/protocol/enums.ts';
import type { Recording, Wire } from '../../models/support/recordings.ts';

/** How a stream ends too early. */
export type Break = 'cut' | (typeof otherBreaks)[number];
export const otherBreaks = ['end', 'error', 'garbage'] as const;

const apis: Readonly<Record<Wire, ModelApi>> = {
  'openai-chat': 'chat',
  'openai-responses': 'responses',
  'anthropic-messages': 'messages',
};

/** A server of the recording's wire. @param baseURL ends with `/v1` */
export function providerOf({ wire }: Pick<Recording, 'wire'>, baseURL: string) {
  const baseUrl = wire === 'anthropic-messages' ? baseURL.replace(/\/v1$/, '') : baseURL;
  return { baseUrl, api: apis[wire] };
}

/** `count` of `all`, spread over them evenly, the first and the last among them. */
export function spread<T>(all: readonly T[], count: number): T[] {
  if (count >= all.length) return [...all];
  return Array.from({ length: count }, (_, i) => all[Math.round((i * (all.length - 1)) / (count - 1))] as T);
}

/** The first bytes of a recording that hold whole events: none, the first one, the first two … all but the last. */
export function beginnings({ bytes }: Recording): Uint8Array[] {
  const text = Buffer.from(bytes).toString('latin1');
  const ends = [...text.matchAll(/\r\n\r\n|\n\n|\r\r/g)].map(({ index, 0: blank }) => index + blank.length);
  const whole = ends.filter((end) => text.slice(end).trim() !== '');
  return [0, ...whole].map((end) => bytes.subarray(0, end));
}

/** Sends the beginning of a stream and breaks it off. */
export async function sendBroken(response: ServerResponse, beginning: Uint8Array, how: Break): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  await new Promise<void>((resolve) => void response.write(beginning, () => resolve()));
  // The bytes must reach the client before the connection ends.
  await new Promise(setImmediate);
  if (how === 'cut') return void response.socket?.end(() => response.destroy());
  if (how === 'error') response.write(`event: error\ndata: ${JSON.stringify(overloaded)}\n\n`);
  if (how === 'garbage') response.write('data: {"choices": [{"del\n\n');
  response.end();
}

const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };

export function sendWhole(response: ServerResponse, bytes: Uint8Array): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(bytes);
}

/** A tool for every name that a recording calls; each notes its executions. */
export function notingTools({ expected }: Recording, ran: string[]) {
  const names = new Set(
    expected.toolCalls.map(({ name }) => name).filter((name) => /^[\w-]{1,64}$/.test(name)),
  );
  return [...names].map((name) =>
    defineTool({
      name,
      description: name,
      parameters: z.looseObject({}),
      sideEffect: 'readonly',
      confirm: false,
      run: (args, { runId }) => {
        ran.push(`${runId} ${name} ${JSON.stringify(args)}`);
        return 'done';
      },
    }),
  );
}

interface Watched {
  view: RunView;
  /** The words of the last answer, as a watcher has them that takes withdrawn ones back. */
  words: string;
}

/** Runs a prompt, and follows its deltas as a client does. */
export async function watched(detent: Detent, model: string): Promise<Watched> {
  const run = detent.run('Go on.', { model, sessionId: model });
  const told = new Map<string, string>();
  let last = '';
  for await (const signal of run.events) {
    const key = `${signal.effectId}:${signal.attempt}`;
    if (signal.type === 'delta.reset') told.delete(key);
    if (signal.type !== 'delta') continue;
    const delta = signal.delta as ModelDelta;
    if (delta.type !== 'text') continue;
    told.set(key, (told.get(key) ?? '') + delta.text);
    last = key;
  }
  return { view: await run.result, words: told.get(last) ?? '' };
}

/** What must be the same whether or not the first attempt broke off. */
export function endOf({ outcome, error, text, steps, states }: RunView) {
  return {
    outcome,
    code: error?.code ?? null,
    text,
    last: states.at(-1),
    steps: steps.map(({ text, reasoning, refusal, finishReason, toolCalls }) => ({
      text,
      reasoning,
      refusal,
      finishReason,
      calls: toolCalls.map(({ name, argumentsRaw, status, result, code }) => ({
        name,
        argumentsRaw,
        status,
        result,
        code,
      })),
    })),
  };
}

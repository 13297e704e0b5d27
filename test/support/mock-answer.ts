import type { ServerResponse } from 'node:http';

/** One answer of the mock provider. All fields may be left out: the least answer is an empty one. */
export interface MockAnswer {
  /** Streamed piece by piece; a lone string is one piece. */
  text?: string | string[];
  /** As `reasoning_content`, before the text. */
  reasoning?: string | string[];
  refusal?: string;
  calls?: MockCall[];
  /** Default: `tool_calls` with calls, else `stop`. */
  finish?: string;
  usage?: { prompt_tokens: number; completion_tokens: number; [key: string]: unknown } | null;
  /** What the answer says of its model; default: what was asked for. */
  model?: string;
  /** Answers with one JSON object, whatever was asked for. */
  whole?: boolean;
  /** Anything but 200 answers with `body` alone. */
  status?: number;
  headers?: Record<string, string>;
  /** The whole body, instead of a made one: an object as JSON. */
  body?: unknown;
  /** Before the headers. */
  delayMs?: number;
  /** Between two pieces. */
  pieceMs?: number;
  /** After all pieces, instead of the finish: cut the connection, or say nothing more. */
  ending?: 'drop' | 'hang';
  /** Cuts the connection or keeps silent before the headers. */
  instead?: 'drop' | 'hang';
}

interface MockCall {
  name: string;
  /** An object as JSON, a string as it is. */
  arguments?: unknown;
  /** Default: `call_` and a number that no other call of the process has. */
  id?: string;
}

let made = 0;
const callId = () => `call_${process.pid}_${++made}`;

/** Plays one answer to a request. */
export async function play(answer: MockAnswer, model: string, stream: boolean, response: ServerResponse) {
  await sleep(answer.delayMs);
  if (response.destroyed) return;
  if (answer.instead === 'hang') return;
  if (answer.instead === 'drop') return void response.destroy();
  const { status = 200, headers = {} } = answer;
  if (answer.body !== undefined || status !== 200) return playBody(answer, status, response);
  if (answer.whole || !stream) {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    return void response.end(JSON.stringify(wholeCompletion(answer, model)));
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
  await playStream(answer, model, response);
}

function playBody({ body, headers }: MockAnswer, status: number, response: ServerResponse): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? failure(status));
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
}

function failure(status: number) {
  return { error: { message: `mock failure ${status}`, type: 'mock_error', code: null } };
}

async function playStream(answer: MockAnswer, model: string, response: ServerResponse): Promise<void> {
  const head = {
    id: 'chatcmpl-mock',
    object: 'chat.completion.chunk',
    created: 0,
    model: answer.model ?? model,
  };
  const send = (delta: unknown, finish: string | null = null) =>
    event(response, { ...head, choices: [{ index: 0, delta, finish_reason: finish }] });
  for (const [i, delta] of deltasOf(answer).entries()) {
    if (i > 0) await sleep(answer.pieceMs);
    if (response.destroyed) return;
    // A reader that is slower than the script is waited for.
    if (!send(delta)) await drained(response);
  }
  if (answer.ending === 'hang') return;
  if (answer.ending === 'drop') return void response.socket?.end(() => response.destroy());
  send({}, finishOf(answer));
  if (answer.usage !== null) event(response, { ...head, choices: [], usage: usageOf(answer) });
  response.end('data: [DONE]\n\n');
}

/** Role first, as providers do; then one delta a piece; every call in two: its head, and its arguments. */
function deltasOf(answer: MockAnswer): object[] {
  const calls = answer.calls ?? [];
  return [
    { role: 'assistant', content: '' },
    ...pieces(answer.reasoning).map((piece) => ({ reasoning_content: piece })),
    ...pieces(answer.text).map((piece) => ({ content: piece })),
    ...pieces(answer.refusal).map((piece) => ({ refusal: piece })),
    ...calls.flatMap((call, index) => [
      { tool_calls: [{ index, id: call.id ?? callId(), type: 'function', function: head(call) }] },
      { tool_calls: [{ index, function: { arguments: argumentsOf(call) } }] },
    ]),
  ];
}

function head({ name }: MockCall) {
  return { name, arguments: '' };
}

function wholeCompletion(answer: MockAnswer, model: string) {
  const calls = answer.calls?.map((call) => ({
    id: call.id ?? callId(),
    type: 'function',
    function: { name: call.name, arguments: argumentsOf(call) },
  }));
  const message = {
    role: 'assistant',
    content: pieces(answer.text).join('') || null,
    ...(answer.reasoning !== undefined && { reasoning_content: pieces(answer.reasoning).join('') }),
    ...(answer.refusal !== undefined && { refusal: answer.refusal }),
    ...(calls && { tool_calls: calls }),
  };
  return {
    id: 'chatcmpl-mock',
    object: 'chat.completion',
    created: 0,
    model: answer.model ?? model,
    choices: [{ index: 0, message, finish_reason: finishOf(answer) }],
    ...(answer.usage !== null && { usage: usageOf(answer) }),
  };
}

function argumentsOf({ arguments: args }: MockCall): string {
  return typeof args === 'string' ? args : JSON.stringify(args ?? {});
}

function finishOf({ finish, calls }: MockAnswer): string {
  return finish ?? (calls?.length ? 'tool_calls' : 'stop');
}

function usageOf({ usage }: MockAnswer) {
  return usage ?? { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
}

function pieces(text: string | string[] | undefined): string[] {
  if (text === undefined) return [];
  return typeof text === 'string' ? [text] : text;
}

function event(response: ServerResponse, data: unknown): boolean {
  return response.write(`data: ${JSON.stringify(data)}\n\n`);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
}

function sleep(ms: number | undefined): Promise<void> | undefined {
  return ms === undefined ? undefined : new Promise((resolve) => setTimeout(resolve, ms));
}

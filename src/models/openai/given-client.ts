import type { ModelAnswer } from '../../protocol/content.ts';
import { isObject, type JsonObject } from '../../protocol/json.ts';
import type { ModelRequest } from '../../protocol/ports.ts';
import type { AnswerBody } from '../wire/answer-body.ts';
import { httpError, reportedError } from '../wire/http-error.ts';
import { CallFailure } from '../wire/model-error.ts';
import { Patience } from '../wire/patience.ts';
import { withoutKey } from '../wire/provider-options.ts';
import type { HttpHeaders } from '../wire/retry-after.ts';
import type { HttpRequest } from '../wire/transport.ts';

/**
 * What Detent uses of a client of the `openai` package: an `OpenAI`, an `AzureOpenAI`, or one that a library has wrapped to watch it.
 * The package is the program's: Detent does not import it.
 */
export interface GivenClient {
  readonly baseURL?: string;
  readonly apiKey?: string | null;
  readonly chat: { readonly completions: Creator };
  readonly responses: Creator;
}

/** The path of a request, its body, and the reader of its answer. */
export interface Question {
  /** Relative to the base URL: `/chat/completions`. */
  path: string;
  body: JsonObject;
  answer: AnswerBody;
}

interface Creator {
  create(body: object, options?: object): PromiseLike<unknown>;
}

/** Makes one call by a client of the program. Its answer goes to our own reader; it makes no retries of its own. */
export async function askClient(
  client: GivenClient,
  origin: string,
  { path, body, answer }: Question,
  { model }: ModelRequest,
  call: Pick<HttpRequest, 'signal' | 'firstByteTimeoutMs' | 'idleTimeoutMs'> & { idempotencyKey: string },
): Promise<ModelAnswer> {
  const { signal, idempotencyKey, firstByteTimeoutMs } = call;
  const patience = new Patience(origin, call);
  const creator = path === '/responses' ? client.responses : client.chat.completions;
  const headers = { 'idempotency-key': encodeURI(idempotencyKey.toWellFormed()) };
  const options = { signal, headers, maxRetries: 0, timeout: firstByteTimeoutMs };
  try {
    const given = await patience.wait(creator.create(body, options));
    if (isAsyncIterable(given)) await readEvents(given, patience, (event) => answer.take(event));
    else answer.take(given);
    return withoutKey(answer.finish(model), client.apiKey ?? null);
  } catch (thrown) {
    const failure = refusalOf(thrown, origin) ?? patience.failureOf(thrown);
    if (!(failure instanceof CallFailure)) throw thrown;
    return withoutKey(answer.finish(model, failure.error), client.apiKey ?? null);
  }
}

async function readEvents(
  events: AsyncIterable<unknown>,
  patience: Patience,
  take: (event: unknown) => boolean,
): Promise<void> {
  const iterator = events[Symbol.asyncIterator]();
  let isOpen = true;
  try {
    for (;;) {
      const { done, value } = await patience.wait(iterator.next());
      isOpen = done !== true;
      if (!isOpen) return;
      patience.begun();
      if (take(value)) return;
    }
  } finally {
    // Not awaited: it waits for an event that may never come.
    if (isOpen) void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

/** An error with a status, or that the server reported within its stream, as the package throws it; null for any other. */
function refusalOf(thrown: unknown, origin: string): CallFailure | null {
  if (!isObject(thrown)) return null;
  const { status, headers, error, message } = thrown;
  if (typeof status === 'number') {
    const body = error === undefined ? String(message ?? '') : JSON.stringify({ error });
    return new CallFailure(httpError({ status, headers: plain(headers), body, origin }));
  }
  return isObject(error) && !(thrown instanceof CallFailure)
    ? new CallFailure(reportedError({ error }, origin))
    : null;
}

function plain(headers: unknown): HttpHeaders {
  return headers instanceof Headers ? Object.fromEntries(headers) : {};
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return isObject(value) && Symbol.asyncIterator in value;
}

import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';

export interface Answer {
  status: number;
  statusText: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Readable;
}

/**
 * Sends one GET request and resolves with the head of the response. The body is a stream with back-pressure; destroying
 * it closes the connection.
 */
export function get(
  dispatcher: Dispatcher,
  url: URL,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Answer> {
  const exchange = new Exchange(signal);
  dispatcher.dispatch(
    { origin: url.origin, path: `${url.pathname}${url.search}`, method: 'GET', headers },
    exchange,
  );
  return exchange.head.promise;
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly head = Promise.withResolvers<Answer>();
  readonly #signal: AbortSignal;
  #body: Readable | undefined;
  #controller: Dispatcher.DispatchController | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal.aborted) this.#onAbort();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Answer['headers'],
    statusText = '',
  ): void {
    if (status < 200) return;
    this.#body = new Readable({
      read: () => controller.resume(),
      destroy: (error, done) => {
        this.#signal.removeEventListener('abort', this.#onAbort);
        controller.abort(error ?? new Error('the reader closed the body'));
        done(error);
      },
    });
    // A reader of the body gets the error. Without this listener the error of an unread body would end the process.
    this.#body.on('error', () => {});
    this.head.resolve({ status, statusText, headers, body: this.#body });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#body?.push(chunk) === false) controller.pause();
  }

  onResponseEnd(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#body?.push(null);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.head.reject(error);
    this.#body?.destroy(error);
  }

  readonly #onAbort = (): void => {
    const reason: unknown = this.#signal.reason;
    this.head.reject(reason);
    this.#controller?.abort(reason instanceof Error ? reason : new Error('aborted'));
  };
}

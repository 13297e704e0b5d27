import type { FrameError } from '../protocol/frames.ts';

/** The mark of Detent's errors: `DetentError.is` knows those of the client too. */
const marker = Symbol.for('detent.error');

/**
 * The one error class of the client. `code` is the gateway's (`NOT_FOUND`, `FORBIDDEN`), or one of the client's own:
 *
 * - `OUTCOME_UNKNOWN`: it is unknown whether the request was done, and it is not safe to repeat
 * - `QUEUE_FULL`: too many requests wait for a connection
 * - `FRAME_TOO_LARGE`: the gateway takes no frames of that size
 * - `UNREACHABLE`: an HTTP request got no answer
 * - `ABORTED`, `CLOSED`: the program's own signal, or its `close()`
 * - `OTHER_USER`: the start of a run lay in the storage, and the token is another user's now
 * - `INVALID_CLIENT`: the client's options are not valid
 */
export class ClientError extends Error {
  readonly code: string;
  /** True when the same request may succeed later without any change. */
  readonly retryable: boolean;
  readonly details: Record<string, unknown>;
  readonly [marker] = true;

  constructor(code: string, message: string, retryable = false, details: Record<string, unknown> = {}) {
    super(message);
    this.name = 'ClientError';
    this.code = code;
    this.retryable = retryable;
    this.details = details;
  }

  static is(value: unknown): value is ClientError {
    return typeof value === 'object' && value !== null && marker in value;
  }
}

/** What a peer sent as an error, which may be of any shape; problem documents have a `detail`. */
export function errorOf(value: unknown, fallback: string): ClientError {
  const { code, message, detail, retryable, details } = Object(value) as Partial<FrameError> & {
    detail?: string;
  };
  return new ClientError(code ?? fallback, message ?? detail ?? fallback, retryable === true, details);
}

/** An error that says the same request may succeed later. */
export function passing(code: string, message: string): ClientError {
  return new ClientError(code, message, true);
}

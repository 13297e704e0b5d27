const marker = Symbol.for('detent.error');

interface DetentErrorOptions {
  /** Facts a program can use: field names, ids, what was available. Must survive JSON. */
  details?: Record<string, unknown>;
  /** True when the same call may succeed later without any change. Default false. */
  retryable?: boolean;
  cause?: unknown;
}

/**
 * The one error class of Detent.
 *
 * `code` is stable and made for programs (`TOOL_NOT_ALLOWED`); `message` says what happened and what to do.
 * Recognise it with {@link DetentError.is}, which also works across two installed copies of the package.
 *
 * @example
 * ```ts
 * try {
 *   await detent.runs.confirm(run, call, { verdict: 'approve' });
 * } catch (error) {
 *   if (DetentError.is(error) && error.code === 'HASH_MISMATCH') askAgain(error.details);
 *   else throw error;
 * }
 * ```
 */
export class DetentError extends Error {
  readonly code: string;
  readonly details: Record<string, unknown>;
  readonly retryable: boolean;
  readonly [marker] = true;

  constructor(code: string, message: string, options: DetentErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'DetentError';
    this.code = code;
    this.details = options.details ?? {};
    this.retryable = options.retryable ?? false;
  }

  /** Node prints two levels of `details`, and of a list below them only `[Object]`. */
  [Symbol.for('nodejs.util.inspect.custom')](
    _: number,
    options: object,
    inspect: (value: unknown, options: object) => string,
  ): string {
    return inspect(this, { ...options, customInspect: false, depth: 6 });
  }

  static is(value: unknown): value is DetentError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  toJSON(): { code: string; message: string; retryable: boolean; details: Record<string, unknown> } {
    return { code: this.code, message: this.message, retryable: this.retryable, details: this.details };
  }
}

/** The message of anything thrown, for people. Never throws itself. */
export function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return thrown.message || thrown.name;
    return typeof thrown === 'string' ? thrown : String(thrown);
  } catch {
    // An object without a prototype, or one whose getters throw.
    return 'an error that cannot be described';
  }
}

/**
 * The message of anything thrown, for a model to read: never a stack, always a string, never throws itself.
 * Of foreign errors one level of `cause` is added: `fetch` says only "fetch failed" and hides the reason there.
 */
export function describeThrown(thrown: unknown): string {
  try {
    const message = String(messageOf(thrown));
    if (DetentError.is(thrown)) return message;
    const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause.message : '';
    return cause && !message.includes(cause) ? `${message}: ${cause}` : message;
  } catch {
    // A thrown value can be anything: an object without a prototype, a proxy, a getter that throws.
    return 'an error that cannot be described';
  }
}

/** The error for a configuration, or a part of it, with all that is wrong in it. @param where its name for a person */
export function invalidConfig(where: string, problems: readonly string[]): DetentError {
  return new DetentError('INVALID_CONFIG', `${where} is not valid: ${problems.join('; ')}`, {
    details: { where, problems },
  });
}

/** The error for a small file that another process is changing, and does not finish. */
export function fileBusy(file: string): DetentError {
  return new DetentError(
    'FILE_BUSY',
    `another process has been changing ${file} for ten seconds; try again`,
    {
      details: { file },
      retryable: true,
    },
  );
}

/** What may happen when a tool of the app is performed a second time. */
export type SideEffect = 'readonly' | 'idempotent' | 'unsafe';

/** What a tool of the app gives the model. */
export class ToolResult {
  readonly isSuccess: boolean;
  readonly #text: string;

  private constructor(isSuccess: boolean, text: string) {
    this.isSuccess = isSuccess;
    this.#text = text;
  }

  static success(content: string): ToolResult {
    return new ToolResult(true, content);
  }

  /** @param message what the model reads: what went wrong, and what it could do instead */
  static error(message: string): ToolResult {
    return new ToolResult(false, message);
  }

  /** Of a success, else empty. */
  get content(): string {
    return this.isSuccess ? this.#text : '';
  }

  /** Of an error, else empty. */
  get error(): string {
    return this.isSuccess ? '' : this.#text;
  }
}

/** One call of a tool of the app. */
export interface ToolCall {
  runId: string;
  callId: string;
  /** The same each time that this call is performed, and of no other call. */
  key: string;
}

/** A tool that the app performs when the model calls it. */
export interface Tool {
  /** Letters, digits, `_` and `-`, at most 64. */
  name: string;
  /** What the model reads of it. */
  description: string;
  /** JSON Schema of type object. Default: no arguments. */
  schema?: Record<string, unknown>;
  sideEffect: SideEffect;
  /** @param args a JSON object, as the model wrote it: check it. An exception is a result that the model reads */
  execute(args: string, call: ToolCall): ToolResult | Promise<ToolResult>;
}

/** What may happen if the app performs a tool a second time. */
export type SideEffect = 'readonly' | 'idempotent' | 'unsafe';

/** What a tool of the app returns to the model. */
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
  /** Identifies this call: the same each time that the app performs it. */
  key: string;
}

/** A tool that the app performs when the model calls it. */
export interface Tool {
  /** Letters, digits, `_` and `-`, at most 64. */
  name: string;
  /** Tells the model what the tool does. */
  description: string;
  /** JSON Schema of type object. Default: no arguments. */
  schema?: Record<string, unknown>;
  sideEffect: SideEffect;
  /** @param args a JSON object, as the model wrote it: check it. The model reads the message of an exception */
  execute(args: string, call: ToolCall): ToolResult | Promise<ToolResult>;
}

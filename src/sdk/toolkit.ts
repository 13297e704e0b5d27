import { ClientError } from '../client/index.ts';
import { newId } from '../client/reading.ts';
import type { Backend, SdkStart } from './backend.ts';
import { type Tool, type ToolCall, ToolResult } from './tool.ts';
import type { ToolRequest } from './wire.ts';

/** The tools of the app. The program performs each call once. */
export class Toolkit {
  readonly #backend: Backend;
  readonly #tools = new Map<string, Tool>();
  readonly #seen = new Set<string>();
  readonly #installation = newId();
  readonly #report: (error: unknown) => void;

  constructor(backend: Backend, report: (error: unknown) => void) {
    this.#backend = backend;
    this.#report = report;
  }

  register(tool: Tool): void {
    this.#tools.set(tool.name, tool);
  }

  /** The tools as a request describes them to a run. */
  declared(): Pick<SdkStart, 'clientTools'> {
    if (this.#tools.size === 0) return {};
    const clientTools = [...this.#tools.values()].map(({ name, description, schema }) => ({
      name,
      description,
      parameters: Object(schema ?? { type: 'object', properties: {} }),
    }));
    return { clientTools };
  }

  /** Performs a call, unless another installation of the user does. Never rejects. */
  async perform({ runId, toolCallId: callId, toolName, arguments: args }: ToolRequest): Promise<void> {
    const tool = this.#tools.get(toolName);
    const key = `${runId}/${callId}`;
    if (!tool || this.#seen.has(key)) return;
    this.#seen.add(key);
    const installation = this.#installation;
    try {
      await this.#backend.claim(runId, callId, installation);
      const give = ({ isSuccess, content, error }: ToolResult) =>
        this.#backend.result(runId, callId, {
          result: isSuccess ? content : error,
          isError: !isSuccess,
          installation,
        });
      const outcome = await this.#outcomeOf(tool, args, { runId, callId, key });
      await give(outcome).catch((error) => {
        if (!isRefused(error)) throw error;
        this.#report(error);
        return give(ToolResult.error(`the result of the app was refused: ${error.message}`));
      });
    } catch (error) {
      if (!isSettled(error)) this.#report(error);
    }
  }

  async #outcomeOf(tool: Tool, args: string, call: ToolCall): Promise<ToolResult> {
    try {
      const given: unknown = await tool.execute(args, call);
      if (isResult(given)) return given;
      const message = `the tool "${tool.name}" gave no ToolResult: return ToolResult.success(text) or ToolResult.error(text)`;
      this.#report(new ClientError('INVALID_RESULT', message));
      return ToolResult.error(message);
    } catch (error) {
      return ToolResult.error(error instanceof Error ? error.message : String(error));
    }
  }
}

/** Another installation performs the call, or it was decided meanwhile. */
const isSettled = (error: unknown) =>
  ClientError.is(error) && ['CALL_CLAIMED', 'NOT_WAITING'].includes(error.code);

/** The run would wait for ever: no repeat of the same result is taken. */
const isRefused = (error: unknown): error is ClientError =>
  ClientError.is(error) && !error.retryable && !isSettled(error);

/** Also one of another copy of the package. */
function isResult(given: unknown): given is ToolResult {
  const { isSuccess, content, error } = Object(given) as Partial<ToolResult>;
  return typeof isSuccess === 'boolean' && typeof content === 'string' && typeof error === 'string';
}

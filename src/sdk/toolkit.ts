import { ClientError } from '../client/index.ts';
import { newId } from '../client/reading.ts';
import type { Backend, SdkStart } from './backend.ts';
import { type Tool, ToolResult } from './tool.ts';
import type { ToolRequest } from './wire.ts';

/** The tools of the app, each call performed once in the life of the program. */
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

  /** What a run is told of them. */
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
      const { isSuccess, content, error } = await outcomeOf(tool, args, { runId, callId, key });
      const result = isSuccess ? content : error;
      await this.#backend.result(runId, callId, { result, isError: !isSuccess, installation });
    } catch (error) {
      // Another installation performs it, or it was decided meanwhile.
      const isSettled = ClientError.is(error) && ['CALL_CLAIMED', 'NOT_WAITING'].includes(error.code);
      if (!isSettled) this.#report(error);
    }
  }
}

async function outcomeOf(
  tool: Tool,
  args: string,
  call: Parameters<Tool['execute']>[1],
): Promise<ToolResult> {
  try {
    return await tool.execute(args, call);
  } catch (error) {
    return ToolResult.error(error instanceof Error ? error.message : String(error));
  }
}

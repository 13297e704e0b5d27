import { DetentError } from '../../protocol/error.ts';
import type { ToolSpec } from '../../protocol/ports.ts';
import { invalidTool, type Tool } from '../../protocol/tool.ts';
import { toolSpec } from './tool-spec.ts';

/** A tool together with its spec for the model. */
export interface RegisteredTool {
  readonly tool: Tool;
  readonly spec: ToolSpec;
}

/**
 * @param isPrintedLater its schema can be shown: it is printed when it is first asked for
 * @throws DetentError `INVALID_TOOL` when its schema cannot be shown to a model.
 */
export function registeredTool(tool: Tool, isPrintedLater = false): RegisteredTool {
  let spec = isPrintedLater ? null : toolSpec(tool);
  return {
    tool,
    get spec() {
      spec ??= toolSpec(tool);
      return spec;
    },
  };
}

/**
 * The tools of one agent by name. The constructor refuses invalid tools, so that they do not fail in the middle of a run.
 *
 * @throws DetentError `DUPLICATE_TOOL` when two tools share a name; `INVALID_TOOL` when a name is empty, a time-out
 * is not a positive number of milliseconds, or a schema cannot be shown to a model.
 */
export class ToolRegistry {
  readonly #tools = new Map<string, RegisteredTool>();
  readonly #names: readonly string[];

  /** @param own tools of Detent's own: their schemas are not looked at before they are needed. */
  constructor(tools: Iterable<Tool>, own: Iterable<Tool> = []) {
    for (const tool of own) this.#add(tool, true);
    for (const tool of tools) this.#add(tool, false);
    this.#names = [...this.#tools.keys()].sort();
  }

  get(name: string): RegisteredTool | undefined {
    return this.#tools.get(name);
  }

  /** All names, sorted by code unit, so that prompts (and their cached prefixes) do not depend on the order of setup. */
  names(): readonly string[] {
    return this.#names;
  }

  #add(tool: Tool, isPrintedLater: boolean): void {
    const { name, timeoutMs } = tool;
    if (typeof name !== 'string' || name === '') throw invalidTool(name, 'it has no name; give it one');
    if (!(timeoutMs > 0))
      throw invalidTool(
        name,
        `timeoutMs must be a positive number, not ${timeoutMs}; make tools with defineTool`,
      );
    if (this.#tools.has(name))
      throw new DetentError(
        'DUPLICATE_TOOL',
        `two tools are named ${JSON.stringify(name)}; rename or drop one`,
        { details: { name } },
      );
    this.#tools.set(name, registeredTool(tool, isPrintedLater));
  }
}

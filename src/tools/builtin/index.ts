import type { Tool } from '../../agent/tool.ts';
import { calculatorTool } from './calculator.ts';
import { datetimeTool } from './datetime.ts';
import { editFileTool } from './edit-file.ts';
import { listFilesTool } from './list-files.ts';
import { readFileTool } from './read-file.ts';
import { unitConvertTool } from './unit-convert.ts';
import { writeFileTool } from './write-file.ts';

export interface BuiltinToolOptions {
  /** Epoch milliseconds; default `Date.now`. */
  now?: () => number;
}

/**
 * The tools that come with Detent. Import this module only when an agent is opened: it loads full zod, some 30 ms.
 *
 * @example
 * ```ts
 * const { builtinTools } = await import('./tools/builtin/index.ts');
 * const toolbox = createToolbox({ tools: builtinTools(), allowed: null });
 * ```
 */
export function builtinTools({ now = Date.now }: BuiltinToolOptions = {}): Tool[] {
  return [
    readFileTool(),
    writeFileTool(),
    editFileTool(),
    listFilesTool(),
    datetimeTool(now),
    calculatorTool(),
    unitConvertTool(),
  ];
}

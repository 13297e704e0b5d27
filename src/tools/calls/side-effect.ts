import { sideEffectClasses } from '../../../machines/run.types.ts';
import type { SideEffect, Tool } from '../../protocol/tool.ts';

/** The class of one call. If the tool's class function throws or returns no class, the call is `unsafe`. */
export function sideEffectOf(tool: Tool, args: unknown): SideEffect {
  try {
    const declared = tool.sideEffect(args);
    return sideEffectClasses.includes(declared) ? declared : 'unsafe';
  } catch {
    return 'unsafe';
  }
}

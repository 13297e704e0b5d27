import type { SideEffect, Tool } from '../../ports/tool.ts';

const classes: readonly unknown[] = ['readonly', 'idempotent', 'probe', 'unsafe'] satisfies SideEffect[];

/** The class of one call. A class function that throws or answers nonsense makes the call `unsafe`. */
export function sideEffectOf(tool: Tool, args: unknown): SideEffect {
  try {
    const declared = tool.sideEffect(args);
    return classes.includes(declared) ? declared : 'unsafe';
  } catch {
    return 'unsafe';
  }
}

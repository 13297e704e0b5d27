import type { SideEffect, Tool } from '../../ports/tool.ts';

const classes: readonly unknown[] = ['readonly', 'idempotent', 'probe', 'unsafe'] satisfies SideEffect[];

/** The class of one call. If the tool's class function throws or returns no class, the call is `unsafe`. */
export function sideEffectOf(tool: Tool, args: unknown): SideEffect {
  try {
    const declared = tool.sideEffect(args);
    return classes.includes(declared) ? declared : 'unsafe';
  } catch {
    return 'unsafe';
  }
}

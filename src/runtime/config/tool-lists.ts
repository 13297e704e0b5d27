import { expandTools } from '../../tools/registry.ts';
import type { DetentOptions } from './detent-options.ts';

/** The allowed and disabled tools, with the names of sets expanded. */
export interface ToolLists {
  /** Null = all. */
  allowed: string[] | null;
  disabled: string[];
}

export function toolLists({ tools = {} }: Pick<DetentOptions, 'tools'>): ToolLists {
  const { allowed, disabled = [], sets } = tools;
  return { allowed: allowed ? expandTools(allowed, sets) : null, disabled: expandTools(disabled, sets) };
}

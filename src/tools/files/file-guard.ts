import type { Tool, ToolContext } from '../../protocol/tool.ts';
import { quoted } from '../../text/wording.ts';

/** What calls ask about the files that they write. */
export interface FileGuard {
  /** Why writing a path asks a person whatever the policy says; null when it need not. */
  whyGuarded(workspace: string | null, path: string): Promise<string | null>;
  /** Performs a call that says what it writes, and keeps the record of the files with untrusted text. */
  noting<T>(tool: Tool, args: unknown, ctx: ToolContext, perform: () => Promise<T>): Promise<T>;
  /** Performs what may write. */
  whileWriting<T>(work: () => Promise<T>): Promise<T>;
}

/** Of a host without a workspace. */
export const noFiles: FileGuard = {
  whyGuarded: async (_, path) => whyGuardedWithout(path),
  noting: (_tool, _args, _ctx, perform) => perform(),
  whileWriting: (work) => work(),
};

export function whyGuardedWithout(path: string): string {
  return `${quoted(path)}, a file of no workspace`;
}

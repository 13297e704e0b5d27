import type { Toolbox } from '../protocol/ports.ts';
import type { Tool, ToolContext } from '../protocol/tool.ts';
import type { FileGuard } from './files/file-guard.ts';
import { type FileRules, noFileRules, performWriting, whyGuarded } from './files/file-rules.ts';
import { notingWrites } from './files/note-writing.ts';
import { createPlainToolbox, type PlainToolboxOptions } from './plain-toolbox.ts';
import { jsonSchemaIssues } from './registry/json-schema.ts';

interface ToolboxOptions extends Omit<PlainToolboxOptions, 'files' | 'schemaIssues'> {
  /** Which files tools may not use, and which always ask when one writes them. */
  files?: FileRules;
}

/**
 * One interface to an agent's tools: their specs for the model, the policy decision on a call, and the call itself.
 *
 * @throws DetentError `DUPLICATE_TOOL`, `INVALID_TOOL`.
 *
 * @example
 * ```ts
 * const toolbox = createToolbox({ tools: builtinTools(), allowed: null, confirm: { write_file: false } });
 * const plan = await toolbox.plan('read_file', '{"path":"README.md"}', ctx);
 * ```
 */
export function createToolbox({ files = noFileRules, ...options }: ToolboxOptions): Toolbox {
  return createPlainToolbox({
    ...options,
    schemaIssues: jsonSchemaIssues,
    files: new WorkspaceFiles(files),
  });
}

/** The files of workspaces, by the rules of a host. */
class WorkspaceFiles implements FileGuard {
  readonly #rules: FileRules;

  constructor(rules: FileRules) {
    this.#rules = rules;
  }

  whyGuarded(workspace: string | null, path: string): Promise<string | null> {
    return whyGuarded(workspace, path, this.#rules);
  }

  noting<T>(tool: Tool, args: unknown, ctx: ToolContext, perform: () => Promise<T>): Promise<T> {
    return notingWrites(tool, args, ctx, this.#rules, perform);
  }

  whileWriting<T>(work: () => Promise<T>): Promise<T> {
    return performWriting(this.#rules, work);
  }
}

export { attempt } from './calls/attempt.ts';
export { tenantToolbox } from './policy/tenant-toolbox.ts';

import type { Toolbox } from '../protocol/ports.ts';
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
    files: {
      whyGuarded: (workspace, path) => whyGuarded(workspace, path, files),
      noting: (tool, args, ctx, perform) => notingWrites(tool, args, ctx, files, perform),
      whileWriting: (work) => performWriting(files, work),
    },
  });
}

export { attempt } from './calls/attempt.ts';
export { tenantToolbox } from './policy/tenant-toolbox.ts';

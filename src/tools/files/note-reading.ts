import type { FileHandle } from 'node:fs/promises';
import { untrustedMark } from '../../protocol/ports.ts';
import type { ToolContext } from '../../protocol/tool.ts';
import type { FileRules } from './file-rules.ts';
import type { WorkspacePath } from './workspace-path.ts';

type Reader = Pick<ToolContext, 'principal' | 'untrusted'>;

/** Marks the result of a call that shows text of a file, if the file holds untrusted text. */
export async function noteFile(
  { tainted }: Pick<FileRules, 'tainted'>,
  ctx: Reader,
  { real }: Pick<WorkspacePath, 'real'>,
  handle: FileHandle,
): Promise<void> {
  const { size } = await handle.stat();
  const read = async () => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, 0);
    return buffer.subarray(0, bytesRead);
  };
  if (await tainted.has(ctx.principal.tenantId, real, { bytes: size, read })) ctx.untrusted?.();
}

/** Marks the result of a call that shows lines of the memory which say of themselves that they are untrusted. */
export function noteLines(text: string, ctx: Reader): void {
  if (text.includes(untrustedMark)) ctx.untrusted?.();
}

/** Marks the result of a command: it can have read any file of the workspace, and printed it in any form. */
export async function noteCommand(
  { tainted }: Pick<FileRules, 'tainted'>,
  ctx: Reader & Pick<ToolContext, 'workspace'>,
  text: string,
): Promise<void> {
  noteLines(text, ctx);
  const { tenantId } = ctx.principal;
  if (ctx.workspace !== null && (await tainted.listIn(tenantId, ctx.workspace)).length > 0) ctx.untrusted?.();
}

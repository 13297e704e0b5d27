import { awaitForeign } from '../../engine/foreign-code.ts';
import { describeThrown } from '../../protocol/error.ts';
import type { PlanContext } from '../../protocol/ports.ts';
import type { CallPreview, Tool } from '../../protocol/tool.ts';
import { attempt } from './attempt.ts';

/** Short: the person should see the question soon, if need be without a preview. */
const timeoutMs = 5_000;
const maxChars = 20_000;

/**
 * The preview of a call for the person who approves it: the tool's own preview, or why it failed, which usually is why
 * the call would fail. Never throws.
 */
export async function previewOf(
  tool: Tool,
  args: unknown,
  { preview: ctx }: PlanContext,
): Promise<{ preview?: CallPreview }> {
  if (!tool.preview || !ctx) return {};
  const made = await attempt(
    (signal) => awaitForeign(`tool "${tool.name}"`, () => tool.preview?.(args, { ...ctx, signal })),
    timeoutMs,
    new AbortController().signal,
  );
  if (made.ended === 'threw')
    return {
      preview: { text: ctx.redact(`As things are, the call would fail: ${describeThrown(made.error)}`) },
    };
  const value = made.ended === 'returned' ? made.value : undefined;
  if (typeof value?.text !== 'string') return {};
  return { preview: { ...value, text: ctx.redact(value.text).slice(0, maxChars).toWellFormed() } };
}

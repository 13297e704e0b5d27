/** Enough for a person to decide; the arguments of the call have the rest. */
const maxLines = 400;
const maxChars = 16_000;
const maxTextChars = 1_000_000;
/** The time of a diff grows with the square of the number of edits. */
const maxEdits = 2_000;
const maxMs = 50;

/**
 * A unified diff of two texts, for a person.
 *
 * @returns null when the texts are too large, or differ too much, for a diff to be of use.
 */
export async function unifiedDiff(path: string, before: string, after: string): Promise<string | null> {
  if (before.length + after.length > maxTextChars) return null;
  const { formatPatch, OMIT_HEADERS, structuredPatch } = await import('diff');
  const patch = structuredPatch(path, path, before, after, undefined, undefined, {
    context: 3,
    maxEditLength: maxEdits,
    timeout: maxMs,
  });
  if (!patch) return null;
  const hunks = formatPatch(patch, OMIT_HEADERS).trimEnd();
  return shortened(`--- ${path}\n+++ ${path}\n${hunks}`);
}

/** The beginning of a text for a person, with a note on how much is left out. */
export function shortened(text: string): string {
  const lines = text.split('\n');
  let end = Math.min(lines.length, maxLines);
  let chars = 0;
  for (let i = 0; i < end; i++) {
    chars += (lines[i]?.length ?? 0) + 1;
    if (chars > maxChars) end = i;
  }
  if (end === lines.length) return text;
  const shown = end === 0 ? [text.slice(0, maxChars).toWellFormed()] : lines.slice(0, end);
  return [...shown, `[… ${lines.length - end} more lines; the arguments of the call have all of it]`].join(
    '\n',
  );
}

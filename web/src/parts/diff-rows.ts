/**
 * One line of a diff as it is drawn. `gap` stands for unchanged lines that are left out, and has the words that a hunk begins with; `note` is
 * for words that are no line of either.
 */
export interface DiffRow {
  kind: 'same' | 'added' | 'removed' | 'gap' | 'note';
  /** The number of the line: of the new text, or of the old one if it was removed. */
  line: number | null;
  text: string;
}

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)/;

/** Whether a text is a unified diff. */
export function isUnifiedDiff(text: string): boolean {
  return text.split('\n').some((line) => hunkHead.test(line));
}

/**
 * The rows of a unified diff. No word of the text is left out, since a person may approve what they see here: lines that are no part of a
 * hunk are notes.
 *
 * @param text `--- a`, `+++ b`, `@@ -1,3 +1,4 @@` and lines that begin with a space, `+` or `-`
 */
export function rowsOfDiff(text: string): DiffRow[] {
  const rows: DiffRow[] = [];
  const lines = text.replace(/\n$/, '').split('\n');
  const note = (words: string) => rows.push({ kind: 'note', line: null, text: words });
  let before = 0;
  let after = 0;
  /** Where the old and the new lines of the hunk end, as its head says. */
  let ends = [0, 0] as [number, number];
  let isInside = false;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const next = lines[at + 1] ?? '';
    const head = hunkHead.exec(line);
    const isBehind = !isInside || (before >= ends[0] && after >= ends[1]);
    if (head) {
      const [, from, removed = 1, to, added = 1, words = ''] = head;
      if (isInside || Number(to) > 1 || Number(from) > 1 || words.trim() !== '')
        rows.push({ kind: 'gap', line: null, text: words.trim() });
      [before, after] = [Number(from), Number(to)];
      ends = [before + Number(removed), after + Number(added)];
      isInside = true;
    } else if (isBehind && line.startsWith('--- ') && next.startsWith('+++ ')) {
      note(namesOf(line.slice(4), next.slice(4)));
      isInside = false;
      at++;
    } else if (!isInside) note(line);
    else if (line.startsWith('+')) rows.push({ kind: 'added', line: after++, text: line.slice(1) });
    else if (line.startsWith('-')) rows.push({ kind: 'removed', line: before++, text: line.slice(1) });
    else if (line.startsWith(' ') || line === '') {
      rows.push({ kind: 'same', line: after++, text: line.slice(1) });
      before++;
    } else note(line.replace(/^\\ /, ''));
  }
  return rows;
}

/** The file that a diff changes; both of its names where they differ, the prefixes of git aside. */
function namesOf(before: string, after: string): string {
  return before.replace(/^a\//, '') === after.replace(/^b\//, '')
    ? after.replace(/^b\//, '')
    : `${before} → ${after}`;
}

/** The time of a diff grows with the square of the number of edits. */
const maxEdits = 2_000;

/**
 * The rows of the difference between two texts; null if they differ too much for a diff to be of use.
 *
 * @param context unchanged lines around each change
 */
export async function rowsOfTexts(before: string, after: string, context = 3): Promise<DiffRow[] | null> {
  const { structuredPatch } = await import('diff');
  const patch = structuredPatch('', '', before, after, undefined, undefined, {
    context,
    maxEditLength: maxEdits,
  });
  if (!patch) return null;
  const text = patch.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
    // These are no files: that there is no newline at their end means nothing.
    const shown = lines.filter((line) => !line.startsWith('\\'));
    return `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@\n${shown.join('\n')}`;
  });
  return text.length === 0 ? [] : rowsOfDiff(text.join('\n'));
}

/** A JSON value as a text that can be compared line by line: the lines of its texts stay lines, and `|` has one more newline at its end than `|-`, as in YAML. */
export function textOfValue(value: unknown, indent = ''): string {
  if (typeof value === 'string' && value.includes('\n')) {
    const head = value.endsWith('\n') ? '|' : '|-';
    return `${head}\n${value.replace(/\n$/, '').replaceAll(/^/gm, `${indent}  `)}`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '–';
  const entries = Object.entries(value);
  if (entries.length === 0) return Array.isArray(value) ? '[]' : '{}';
  const deeper = indent === '' && !Array.isArray(value) ? '' : `${indent}  `;
  const lines = entries.map(([key, inner]) => {
    const head = Array.isArray(value) ? '-' : `${key}:`;
    return `${deeper}${head} ${textOfValue(inner, `${deeper} `)}`;
  });
  return (deeper === '' ? '' : '\n') + lines.join('\n');
}

/** How much of a diff is drawn at once. */
export const maxRows = 400;

/** What the Markdown of a skill says at its beginning, and what is to be ticked off. */
export interface Outline {
  /** The first heading `# …`; null when there is none. */
  title: string | null;
  /** The first paragraph behind it; empty when a heading follows at once. */
  summary: string;
  /** The items of `## Checklist`. */
  checklist: string[];
}

/** Reads title, summary and checklist off the body of a skill. What stands in fences is code, and no heading. */
export function outlineOf(body: string): Outline {
  const lines = withoutFences(body.split(/\r?\n/));
  const titleAt = lines.findIndex((line) => /^#[ \t]/.test(line));
  const title = titleAt < 0 ? null : (lines[titleAt] ?? '').slice(2).trim();
  return { title, summary: paragraph(lines.slice(titleAt + 1)), checklist: checklist(lines) };
}

function withoutFences(lines: readonly string[]): string[] {
  let fence: string | null = null;
  return lines.map((line) => {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === null) {
      fence = mark ?? null;
      return mark ? '#' : line;
    }
    if (mark?.startsWith(fence)) fence = null;
    // Ends a paragraph and a list as a heading does, and is none.
    return '#';
  });
}

function paragraph(lines: readonly string[]): string {
  const start = lines.findIndex((line) => line.trim() !== '');
  const rest = start < 0 ? [] : lines.slice(start);
  const end = rest.findIndex((line) => line.trim() === '' || line.trimStart().startsWith('#'));
  return rest
    .slice(0, end < 0 ? rest.length : end)
    .map((line) => line.trim())
    .join('\n');
}

function checklist(lines: readonly string[]): string[] {
  const start = lines.findIndex((line) => line.trim().toLowerCase() === '## checklist');
  if (start < 0) return [];
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.trim().startsWith('#'));
  return rest.slice(0, end < 0 ? rest.length : end).flatMap((line) => {
    const [, item = ''] = /^\s*[-*]\s*(.*)$/.exec(line) ?? [];
    return item.trim() === '' ? [] : [item.trim()];
  });
}

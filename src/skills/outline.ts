/** Title, summary and checklist of a skill. */
interface Outline {
  /** The first heading `# …`; null without one. */
  title: string | null;
  /** The first paragraph after it; empty when a heading follows at once. */
  summary: string;
  /** The items of `## Checklist`. */
  checklist: string[];
}

/** Extracts title, summary and checklist from the body of a skill. Ignores headings in fenced code. */
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
    // Like a heading, a fence ends a paragraph and a list.
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

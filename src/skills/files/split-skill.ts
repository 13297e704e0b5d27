/** A `SKILL.md` cut in two. */
interface SplitSkill {
  /** Between the two lines of dashes; null when the file does not begin with one. */
  frontmatter: string | null;
  /** The text after them. */
  body: string;
  /** The first line of dashes has no second. */
  isOpen: boolean;
}

const dashes = /^---[ \t]*\r?$/;

/** Splits at lines that consist of three dashes, so that dashes within a text have no effect. */
export function splitSkill(text: string): SplitSkill {
  const lines = text.replace(/^\ufeff/, '').split('\n');
  if (!dashes.test(lines[0] ?? '')) return { frontmatter: null, body: text, isOpen: false };
  const end = lines.findIndex((line, i) => i > 0 && dashes.test(line));
  if (end < 0) return { frontmatter: null, body: '', isOpen: true };
  return {
    frontmatter: lines
      .slice(1, end)
      .map((line) => line.replace(/\r$/, ''))
      .join('\n'),
    body: lines.slice(end + 1).join('\n'),
    isOpen: false,
  };
}

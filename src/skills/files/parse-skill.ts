import { skillProblem } from '../../protocol/views.ts';
import { fieldsOf, type ReadFields } from './frontmatter-fields.ts';
import { yamlFrontmatter } from './yaml-frontmatter.ts';

/**
 * A parsed `SKILL.md`. Without the field of its frontmatter, `name` is the folder's and `description` the summary. For its warnings
 * other clients may refuse the skill; with an error it cannot be loaded.
 */
export interface ParsedSkill extends ReadFields, Outline {
  /** The fields of its frontmatter. */
  named: string[];
  /** The Markdown after the frontmatter. */
  body: string;
}

/**
 * Parses a `SKILL.md`: frontmatter, title, summary and checklist. Never throws.
 *
 * @param folder name of the folder that it is in.
 * @see https://agentskills.io/specification
 *
 * @example
 * ```ts
 * const { name, checklist, errors } = parseSkill('---\nname: tea\ndescription: Makes tea.\n---\n# Tea\n', 'tea');
 * ```
 */
export function parseSkill(text: string, folder: string): ParsedSkill {
  const { frontmatter, body, isOpen } = splitSkill(text);
  const outline = outlineOf(body);
  const read = frontmatter === null ? null : yamlFrontmatter(frontmatter);
  const { name, description, ...fields } = fieldsOf(read?.fields ?? {}, folder);
  const errors = read
    ? [...(read.error === null ? fields.errors : [read.error])]
    : [skillProblem(isOpen ? 'skill_open_frontmatter' : 'skill_no_frontmatter')];
  return {
    ...fields,
    ...outline,
    name: name || folder,
    description: description || outline.summary,
    named: Object.keys(read?.fields ?? {}),
    body,
    warnings: read?.error === null ? [...read.warnings, ...fields.warnings] : [],
    errors,
  };
}

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
function outlineOf(body: string): Outline {
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
function splitSkill(text: string): SplitSkill {
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

import type { FrontmatterFields } from './fields.ts';
import { fieldsOf } from './fields.ts';
import { outlineOf } from './outline.ts';
import { splitSkill } from './split-skill.ts';
import { yamlFrontmatter } from './yaml-frontmatter.ts';

/** A parsed `SKILL.md`. */
export interface ParsedSkill extends FrontmatterFields {
  /** The frontmatter's, else the folder's. */
  name: string;
  /** The frontmatter's, else the summary. */
  description: string;
  title: string | null;
  summary: string;
  checklist: string[];
  /** The Markdown after the frontmatter. */
  body: string;
  /** What other clients may refuse. */
  warnings: string[];
  /** Why it cannot be loaded; empty if it can. */
  errors: string[];
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
    : [
        isOpen
          ? 'no frontmatter: the "---" of its first line has no second below it'
          : 'no frontmatter: it does not begin with "---"',
      ];
  return {
    ...fields,
    ...outline,
    name: name || folder,
    description: description || outline.summary,
    body,
    warnings: read?.error === null ? [...read.warnings, ...fields.warnings] : [],
    errors,
  };
}

import { bundledHeads } from './bundled-heads.ts';
import type { ReadFields } from './frontmatter-fields.ts';

/** By folder and text: every Detent of a process, and each of its tenants, has the bundled skills. */
const heads = new Map(bundledHeads);
const maxHeads = 1_000;

/** @param text the frontmatter, as `readHead` gives it */
export function headKey(text: string, folder: string): string {
  return `${folder}\n${text}`;
}

/** Reads the frontmatter of the skill in a folder with this name. */
export async function headOf(text: string, folder: string): Promise<ReadFields> {
  const key = headKey(text, folder);
  const known = heads.get(key);
  if (known) return known;
  const { parseSkill } = await import('./parse-skill.ts');
  const {
    title: _,
    summary: _summary,
    checklist: _checklist,
    named: _named,
    body: _body,
    ...head
  } = parseSkill(text, folder);
  if (heads.size >= maxHeads) heads.clear();
  heads.set(key, head);
  return head;
}

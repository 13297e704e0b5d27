import { skillViews } from '../../../runtime/api/skill-views.ts';
import { openSkills } from '../../../runtime/parts/skills.ts';
import type { CliOptions } from '../../settings/load-options.ts';
import { type Check, ok, type Subject, warn } from './check.ts';

/** Warns of SKILL.md files that cannot be used. Runs work without them. */
export async function checkSkills(options: CliOptions): Promise<Check> {
  const subject: Subject = ['skills', 'Skills'];
  const { skills, bad } = await skillViews(openSkills(options, options.workspace)).list();
  const count = skills.length === 1 ? '1 skill' : `${skills.length} skills`;
  if (bad.length === 0) return ok(subject, count);
  const left = bad.map(({ path, reasons }) => `${path} (${reasons.join('; ')})`).join(', ');
  return warn(
    subject,
    `${count}; left out: ${left}`,
    'correct them, then check them with: detent skills validate DIR',
  );
}

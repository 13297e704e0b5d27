import { openSkills, skillViews } from '../../../runtime/parts.ts';
import type { CliOptions } from '../../settings/load-options.ts';
import { type Check, ok, type Subject, warn } from './check.ts';

/** Warns of SKILL.md files that cannot be used, and of names that no skill has. Runs work without them. */
export async function checkSkills(options: CliOptions): Promise<Check> {
  const subject: Subject = ['skills', 'Skills'];
  const { skills, bad, unknown } = await skillViews(openSkills(options, options.workspace)).list();
  const count = skills.length === 1 ? '1 skill' : `${skills.length} skills`;
  const [first] = unknown;
  if (bad.length === 0 && first) {
    const names = unknown.map(({ field, name }) => `${field} names "${name}"`).join(', ');
    return warn(
      subject,
      `${count}; ${names}, which no skill has`,
      first.nearest === null
        ? 'correct the name, or add the skill; "detent skills list" has all names'
        : `did you mean "${first.nearest}"? "detent skills list" has all names`,
    );
  }
  if (bad.length === 0) return ok(subject, count);
  const left = bad.map(({ path, reasons }) => `${path} (${reasons.join('; ')})`).join(', ');
  return warn(
    subject,
    `${count}; left out: ${left}`,
    'correct them, then check them with: detent skills validate DIR',
  );
}

import type { SkillView } from '../../../index.ts';
import type { Flags } from '../../settings/flags.ts';
import { clipped, columns } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import { out, printable, say } from '../../terminal/say.ts';
import { skillsOf } from './skills.ts';

/** `detent skills list`. */
export async function listSkills(_: readonly string[], flags: Flags): Promise<number> {
  const { skills } = await skillsOf(flags);
  const list = await skills.list();
  if (flags.json) {
    out(`${JSON.stringify(list)}\n`);
    return exit.ok;
  }
  if (list.skills.length === 0) say('there are no skills; make one with "detent skills new NAME"');
  out(printable(columns(list.skills.map(rowOf))));
  for (const { path, reasons } of list.bad) say(`detent: ${path} is left out: ${reasons.join('; ')}`);
  return exit.ok;
}

function rowOf({ name, from, off, forModels, forPeople, description }: SkillView): string[] {
  const notes = [
    from,
    ...(off === null ? [] : [`off (${off})`]),
    ...(forModels ? [] : ['for people alone']),
    ...(forPeople ? [] : ['for models alone']),
  ];
  return [name, notes.join(', '), clipped(description)];
}

import type { SkillView } from '../../../index.ts';
import type { Flags } from '../../settings/flags.ts';
import { clipped, columns } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { skillsOf } from './skills.ts';

/** `detent skills list`. */
export async function listSkills(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const { skills } = await skillsOf(flags, io);
  const list = await skills.list();
  if (flags.json) {
    io.json(list);
    return exit.ok;
  }
  if (list.skills.length === 0) io.say('there are no skills; make one with "detent skills new NAME"');
  io.out(columns(list.skills.map(rowOf)));
  for (const { path, reasons } of list.bad) io.say(`detent: ${path} is left out: ${reasons.join('; ')}`);
  return exit.ok;
}

function rowOf({ name, from, off, forModels, forPeople, description }: SkillView): string[] {
  const notes = [
    from,
    ...(off === null ? [] : [`off (${off})`]),
    ...(forModels ? [] : ['for people only']),
    ...(forPeople ? [] : ['for models only']),
  ];
  return [name, notes.join(', '), clipped(description)];
}

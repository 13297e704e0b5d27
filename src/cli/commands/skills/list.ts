import type { SkillView } from '../../../index.ts';
import { withDetent } from '../../drive/with-detent.ts';
import type { Flags } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { type Column, clipped, listed } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { skillsOf } from './skills.ts';

/** `detent skills list`. */
export async function listSkills(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const list =
    flags.server === undefined
      ? await (await skillsOf(flags, io)).skills.list()
      : await withDetent(await loadOptions(flags, io), ({ skills }) => skills.list());
  if (flags.json) {
    io.json(list);
    return exit.ok;
  }
  if (list.skills.length === 0) io.say('there are no skills; make one with "detent skills new NAME"');
  else io.out(listed(list.skills, skillColumns, io.stdout));
  for (const { path, reasons } of list.bad) io.say(`detent: ${path} is left out: ${reasons.join('; ')}`);
  return exit.ok;
}

const skillColumns: readonly Column<SkillView>[] = [
  { title: 'skill', cell: ({ name }) => name, min: 20 },
  { title: 'from', cell: placeOf, min: 12 },
  { title: 'what it does', cell: ({ description }) => clipped(description, 200), min: 16 },
];

function placeOf({ from, off, forModels, forPeople }: SkillView): string {
  return [
    from,
    ...(off === null ? [] : [`off (${off})`]),
    ...(forModels ? [] : ['for people only']),
    ...(forPeople ? [] : ['for models only']),
  ].join(', ');
}

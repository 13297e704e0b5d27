import type { SkillDetails, SkillView } from '../../../index.ts';
import { openSkills, skillViews } from '../../../runtime/parts.ts';
import { withPort } from '../../drive/with-detent.ts';
import { type Flags, word } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { type Column, clipped, columns, listed } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

/** `detent skills list`. */
export async function listSkills(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const list =
    flags.server === undefined
      ? await (await skillsOf(flags, io)).skills.list()
      : (await withPort(await loadOptions(flags, io), ({ ask }) => ask('skill.list', {}))).skills;
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
  { title: 'from', cell: originOf, min: 12 },
  { title: 'what it does', cell: ({ description }) => clipped(description, 200), min: 16 },
];

function originOf({ from, isTrusted, off, forModels, forPeople }: SkillView): string {
  return [
    from,
    // Of Detent's own it goes without saying.
    ...(from === 'bundled' ? [] : [isTrusted ? 'trusted' : 'not trusted']),
    ...(off === null ? [] : [`off (${off})`]),
    ...(forModels ? [] : ['for people only']),
    ...(forPeople ? [] : ['for models only']),
  ].join(', ');
}

/** `detent skills show SKILL`. */
export async function showSkill(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const name = word(words, 0, 'SKILL');
  const { skills } = await skillsOf(flags, io);
  const skill = await skills.show(name);
  if (flags.json) io.json(skill);
  else io.out(skillText(skill));
  return exit.ok;
}

function skillText(skill: SkillDetails): string {
  const { name, from, isTrusted, path, description, allowed, confirm, hash, off, files, warnings } = skill;
  return [
    `name      ${name}`,
    `about     ${description}`,
    `from      ${from}${isTrusted ? ', trusted' : ''}`,
    `file      ${path}`,
    ...skill.shadows.map((other) => `before    ${other}`),
    ...(off === null ? [] : [`off       ${off}`]),
    ...(skill.forModels ? [] : ['for people only']),
    ...(skill.forPeople ? [] : ['for models only']),
    `tools     ${allowed ? joinedOr(allowed, 'none') : 'all'}`,
    ...(confirm ? [`confirms  ${joinedOr(confirm, 'nothing')}${relaxing(isTrusted)}`] : []),
    `hash      ${hash ?? 'none: it has a link, or too many files'}`,
    ...(files?.length === 0 ? [] : [`files     ${files ? files.join(', ') : 'many'}`]),
    ...warnings.map((warning) => `warning   ${warning}`),
    '',
    skill.body.trim(),
    '',
  ].join('\n');
}

function joinedOr(names: readonly string[], none: string): string {
  return names.length === 0 ? none : names.join(', ');
}

function relaxing(isTrusted: boolean): string {
  return isTrusted ? '' : ' (no effect on questions: the skill is not trusted)';
}

/** `detent skills why INPUT`: the skills that a run with this prompt would offer. */
export async function whySkills(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const input = word(words, 0, 'INPUT');
  const { skills } = await skillsOf(flags, io);
  const why = await skills.why(input);
  if (flags.json) {
    io.json(why);
    return exit.ok;
  }
  const { named, offered, mode, scores } = why;
  const shown =
    mode === 'listed'
      ? `the model is shown all ${offered} skills, and chooses one or none`
      : `of ${offered} skills the model is shown the best, and chooses one or none`;
  io.out(
    [
      ...(named === null ? [] : [`the prompt names ${named}, which the run follows from its start`]),
      offered === 0 ? 'there are no skills that a model may choose' : shown,
      scores.length === 0
        ? 'no skill matches the words of the prompt'
        : 'these skills match the words of the prompt, best first:',
      columns(scores.map(({ name, score }) => ['', name, score.toFixed(2)])),
    ].join('\n'),
  );
  return exit.ok;
}

/** The skills of a workspace; needs no database. */
export async function skillsOf(flags: Flags, io: Io) {
  const options = await loadOptions(flags, io);
  const library = openSkills(options, options.workspace);
  return { options, library, skills: skillViews(library) };
}

import type { SkillDetails } from '../../../index.ts';
import { type Flags, word } from '../../settings/flags.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { skillsOf } from './skills.ts';

/** `detent skills show SKILL`. */
export async function showSkill(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const name = word(words, 0, 'SKILL');
  const { skills } = await skillsOf(flags, io);
  const skill = await skills.show(name);
  if (flags.json) io.json(skill);
  else io.out(describe(skill));
  return exit.ok;
}

function describe(skill: SkillDetails): string {
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
    `tools     ${allowed ? listOf(allowed, 'none') : 'all'}`,
    ...(confirm ? [`confirms  ${listOf(confirm, 'nothing')}${relaxing(isTrusted)}`] : []),
    `hash      ${hash ?? 'none: it has a link, or too many files'}`,
    ...(files?.length === 0 ? [] : [`files     ${files ? files.join(', ') : 'many'}`]),
    ...warnings.map((warning) => `warning   ${warning}`),
    '',
    skill.body.trim(),
    '',
  ].join('\n');
}

function listOf(names: readonly string[], none: string): string {
  return names.length === 0 ? none : names.join(', ');
}

function relaxing(isTrusted: boolean): string {
  return isTrusted ? '' : ' (skips no question: the skill is not trusted)';
}

import type { Skill, Skills } from '../../../../data/answers.ts';
import { problemsInWords } from '../../../../parts/why/finding.ts';

/** What the picker needs of the skills. */
interface Pickable extends Pick<Skills, 'bad'> {
  skills: readonly Pick<Skill, 'name' | 'description' | 'forPeople' | 'off' | 'offReason'>[];
}

/** One line of the picker. `why`: why it cannot be picked. */
export interface PickedSkill {
  name: string;
  about: string;
  why: 'forModels' | { why: string; reason: Skill['offReason'] } | null;
}

/** What a person has written of a skill's name: `res` of `/res`; null when the message does not begin with one. */
export function skillWord(text: string, caret: number): string | null {
  const word = /^\/([^\s/]*)$/.exec(text.slice(0, caret))?.[1];
  return word === undefined || /^\S/.test(text.slice(caret)) ? null : word;
}

/** The skill that a message begins with, and the words beside it; null if it names none that people may choose. */
export function chosenSkill(
  text: string,
  { skills }: Pick<Pickable, 'skills'>,
): { name: string; words: string } | null {
  const [, name = '', words = ''] = /^\/(\S+)\s([\s\S]*)$/.exec(text) ?? [];
  const isChosen = skills.some((skill) => skill.name === name && skill.forPeople && skill.off === null);
  return isChosen ? { name, words } : null;
}

/** The skills that fit what was typed: those whose name begins so, then those that have it in name or description; unusable ones last. */
export function matchingSkills({ skills, bad }: Pickable, typed: string): PickedSkill[] {
  const word = typed.toLowerCase();
  const known = skills.map(({ name, description, forPeople, off, offReason: reason }): PickedSkill => {
    const why = off === null ? (forPeople ? null : ('forModels' as const)) : { why: off, reason };
    return { name, about: description, why };
  });
  const broken = bad.map(({ path, ...reasons }): PickedSkill => {
    const name = path.split(/[/\\]/).at(-2) ?? path;
    return { name, about: '', why: { why: problemsInWords(reasons), reason: undefined } };
  });
  const rank = ({ name, about, why }: PickedSkill) => {
    const fit = name.toLowerCase().startsWith(word) ? 0 : name.toLowerCase().includes(word) ? 1 : 2;
    if (fit === 2 && !about.toLowerCase().includes(word)) return null;
    return fit + (why === null ? 0 : 10);
  };
  return [...known, ...broken]
    .map((skill) => ({ skill, rank: rank(skill) }))
    .filter((one): one is { skill: PickedSkill; rank: number } => one.rank !== null)
    .sort((a, b) => a.rank - b.rank || a.skill.name.localeCompare(b.skill.name))
    .map(({ skill }) => skill);
}

/** What a key means in the list: the line that it goes to, the skill that it picks; null if it is meant for the text. */
export function moveIn(
  skills: readonly PickedSkill[],
  at: number,
  key: string,
): PickedSkill | number | 'close' | null {
  const { length } = skills;
  if (key === 'Escape') return 'close';
  if (length === 0) return null;
  if (key === 'ArrowDown') return (at + 1) % length;
  if (key === 'ArrowUp') return (at + length - 1) % length;
  return key === 'Enter' || key === 'Tab' ? (skills[at] ?? null) : null;
}

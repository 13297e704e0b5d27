import type { Language } from './language.ts';
import { phrases } from './phrases.ts';
import type { Plan } from './plan.ts';
import { rules } from './rules/index.ts';
import { maxMessageLength } from './understand.ts';

const maxClauseLength = 80;

/** The paragraphs of an answer besides the results of its calls. */
export function remarks(
  plan: Plan,
  hasResults: boolean,
  offered: ReadonlySet<string>,
  language: Language,
): string[] {
  if (hasResults || plan.missing.length > 0 || plan.withheld.length > 0) return notes(plan, language);
  const say = phrases[language];
  if (plan.unknown.length > 0) return [refusal(plan, language), ...help(offered, language)];
  if (plan.talk.has('thanks') && plan.talk.size === 1) return [say.welcome];
  return [...(plan.talk.has('greeting') ? [say.greeting] : []), ...help(offered, language)];
}

function notes(plan: Plan, language: Language): string[] {
  const say = phrases[language];
  const unknown = plan.unknown.map((clause) => `“${shortened(clause)}”`).join(', ');
  return [
    ...(plan.missing.length > 0 ? [say.missing(plan.missing.join(', '))] : []),
    ...(plan.withheld.length > 0 ? [say.withheld(plan.withheld.join(', '))] : []),
    ...(unknown === '' ? [] : [say.notUnderstood(unknown)]),
  ];
}

function refusal(plan: Plan, language: Language): string {
  const say = phrases[language];
  const isTooLong = plan.unknown.some((clause) => clause.length > maxMessageLength);
  return isTooLong ? say.tooLong(maxMessageLength) : say.cannotAnswer;
}

/** Examples for the tools that are offered, and the way to a real model. */
function help(offered: ReadonlySet<string>, language: Language): string[] {
  const say = phrases[language];
  const examples = rules
    .filter(({ tool }) => offered.has(tool))
    .map(({ example }) => `- ${example[language]}`);
  const list = examples.length === 0 ? say.noTools : [say.canDo, ...examples, `- ${say.tour}`].join('\n');
  return [list, say.configure];
}

function shortened(clause: string): string {
  const characters = Array.from(clause);
  return characters.length <= maxClauseLength ? clause : `${characters.slice(0, maxClauseLength).join('')}…`;
}

/** SKILL.md files: where they lie, and what they say. */
export type { RootOptions } from './files/roots.ts';
export type { FoundSkill } from './files/scan.ts';
export { ruleInWords, toolRules } from './files/skill-text.ts';

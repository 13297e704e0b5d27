/** Skills: where their files lie, and what these say; how they are ranked, and how a model loads one. */
export type { RootOptions } from './files/roots.ts';
export type { FoundSkill } from './files/scan.ts';
export { ruleInWords, toolRules } from './files/skill-text.ts';
export { createSkillScorer } from './scorer.ts';
export { skillTool } from './skill-tool.ts';
export { type TextSkill, TextSkills } from './text-skills.ts';
export { validateFolder } from './validate.ts';

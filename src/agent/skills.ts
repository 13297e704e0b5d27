/** The skills of a run: which it chose, which it follows, and both as clients see them. */
export { followedSkills, inherited } from './skills/followed.ts';
export { choose } from './skills/skill-choice.ts';
export { skillsIn } from './skills/skills-view.ts';

/** Parts of a Detent by themselves: skills for a command line that only names them, and what the core has, too. */
export { toolLists } from './config/tool-lists.ts';
export { openOutputs } from './parts/outputs.ts';
export {
  type DetentSkills,
  type SkillDetails,
  type SkillList,
  type SkillView,
  type SkillWhy,
  skillViews,
} from './parts/skill-views.ts';
export { openSkills } from './parts/skills.ts';

/** Skills without a Detent, for a command line that only names them. */
export {
  type DetentSkills,
  type SkillDetails,
  type SkillList,
  type SkillView,
  type SkillWhy,
  skillViews,
} from './parts/skill-views.ts';
export { openSkills } from './parts/skills.ts';

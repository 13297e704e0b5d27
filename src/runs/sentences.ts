/** What Detent says of runs, by code: in English here, in other languages where a client has the words. */

export { inEnglish, say } from './history/why/say.ts';
export { describeSkills } from './history/why/skills.ts';

import type { Output } from '#src/client/index.ts';

/** What the gateway answers, by the names that pages have for it. */

export type RunMoment = Output<'run.at'>;
/** A message of a conversation, as the log has it. */
export type LoggedMessage = RunMoment['messages'][number];
/** What a model was sent. */
export type RunPrompt = Output<'run.prompt'>;
/** A command that the run accepted at a moment. */
export type LegalCommand = RunMoment['legal'][number];

export type Skills = Output<'skill.list'>['skills'];
export type Skill = Skills['skills'][number];
export type SkillDetails = Output<'skill.get'>;
export type Tool = Output<'tool.list'>['tools'][number];
/** Where a value of the configuration comes from. */
export type Origin = Output<'config.origins'>['origins']['values'][string];
export type Grant = Output<'grant.search'>['grants'][number];
export type Token = Output<'trust.list'>['tokens'][number];

/** Model calls of a group, added up. */
export type UsageSum = Output<'usage.get'>['total'];
export type Budget = Output<'usage.get'>['budgets'][number];

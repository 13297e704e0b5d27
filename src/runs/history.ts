/** The past of a run: moments, forks, differences, replay, and why it is where it is. */
export type { FieldDifference, PartingTransition, RunDiff } from './history/diff.ts';
export type { LoggedEvent } from './history/events.ts';
export type { Forked } from './history/fork.ts';
export type { OpenEffect } from './history/fork-rows.ts';
export { History } from './history/history.ts';
export type { MomentEffect, RunMoment } from './history/moment.ts';
export type { ForkPreview, PreviewedEffect } from './history/preview.ts';
export type { RunPrompt } from './history/prompt-at.ts';
export type { RunReplay } from './history/replay-run.ts';
export type { Why } from './history/why/why.ts';

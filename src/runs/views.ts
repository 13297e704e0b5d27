/**
 * Runs as clients see them: one with its conversation and questions, many, as events, as an inspector shows them; and what
 * Detent says of them by code, in English here.
 */
export { followRunEvents, readRunEvents } from './events/read-run-events.ts';
export { flowWords } from './flows/flow-names.ts';
export { changesOf, shownEvent } from './history/trace/shown-event.ts';
export { inEnglish, say } from './history/why/say.ts';
export { describeSkills } from './history/why/skills.ts';
export type { InspectionStart } from './inspection/follow-snapshots.ts';
export { inspectRun } from './inspection/inspect-run.ts';
export { type FeedEvent, type FeedPage, readFeed } from './lists/feed.ts';
export { countRuns, listRuns, type RunFilter, type RunSummary } from './lists/list-runs.ts';
export { spentBy, sum } from './rows/spent-by.ts';
export type { SessionMessage } from './story/conversation-view.ts';
export { readQuestions, takeQuestions } from './story/read-story.ts';
export { callResultOf } from './views/call-result.ts';
export { type ContextUse, contextUse } from './views/context-use.ts';
export { type Artifact, readArtifact } from './views/read-artifact.ts';
export { readRunView } from './views/read-run-view.ts';

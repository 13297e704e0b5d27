/** A run’s log, read once: its conversation and its questions. */
export type { SessionMessage } from './story/conversation-view.ts';
export { readQuestions } from './story/read-story.ts';

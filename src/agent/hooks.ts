/** Hooks of an agent that other rooms call: before a compaction, when a run waits, when it ends. */
export { isOnlyCompaction } from './hooks/before-compact.ts';
export { createEndTeller, type EndTeller } from './hooks/run-end.ts';
export { WaitTeller } from './hooks/run-waits.ts';

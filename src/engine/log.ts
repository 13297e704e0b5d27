/** Reading a run’s log, and folding it again. */
export {
  type LogRange,
  pagesOfLog,
  pagesOfMessages,
  readEffects,
  readLog,
  readMessages,
  takeEffects,
  takeLog,
  takeMessages,
} from './log/read-log.ts';
export {
  Diverged,
  type Divergence,
  Fold,
  type FoldedTransition,
  firstVersion,
  foldableFrom,
  type Machines,
  Replay,
  replay,
} from './log/replay.ts';

import '../runtime/check-node.ts';

/** What Detent's own tests use, for tests of your agents and tools. */
export { type FakeClock, fakeClock } from './fake-clock.ts';
export {
  type ScriptedAnswer,
  type ScriptedModel,
  type ScriptLine,
  scriptedModel,
} from './scripted-model.ts';
export { type PathOptions, type TransitionPath, transitionPaths } from './transition-paths.ts';

/** The tools that Detent brings, with the sandbox of its commands, and those that a client performs. */
export { calculatorTool } from './builtin/calculator.ts';
export { clientToolSpecs, withClientTools } from './builtin/client-tools.ts';
export { builtinTools } from './builtin/index.ts';
export { type PreparedShell, prepareShell } from './builtin/prepare-shell.ts';
export { taskTool } from './builtin/task.ts';
export { boundsProcesses } from './sandbox/bubblewrap.ts';
export {
  bubblewrapVersion,
  type FoundBubblewrap,
  findBubblewrap,
  type SandboxChoice,
} from './sandbox/find-sandbox.ts';

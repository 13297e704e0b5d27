/** The sandbox of commands. */
export { boundsProcesses } from './sandbox/bubblewrap.ts';
export {
  bubblewrapVersion,
  type FoundBubblewrap,
  findBubblewrap,
  type SandboxChoice,
} from './sandbox/find-sandbox.ts';
